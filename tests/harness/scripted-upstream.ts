import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { startUpstream, type Upstream } from './upstream.ts';

/** An upstream whose behaviour a test sets; at first it responds with `ok`. */
export interface ScriptedUpstream extends Upstream {
  behave(listener: RequestListener): void;
  /** The next request that reaches it, left to the test. */
  next(): Promise<{ req: IncomingMessage; res: ServerResponse }>;
  /** Restores the initial behavior. */
  reset(): void;
}

const respondOk: RequestListener = (_req, res) => void res.end('ok');

export async function scriptedUpstream(): Promise<ScriptedUpstream> {
  let listener = respondOk;
  const upstream = await startUpstream((req, res) => listener(req, res));
  const behave = (next: RequestListener) => {
    listener = next;
  };
  return {
    ...upstream,
    behave,
    next: () => new Promise((resolve) => behave((req, res) => resolve({ req, res }))),
    reset: () => behave(respondOk),
  };
}
