import { buffer } from 'node:stream/consumers';
import { type HttpResponse, request } from './http-request.ts';
import { startUpstream } from './upstream.ts';

/** A request as the proxy got it. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

type ProxiedResponse = Pick<HttpResponse, 'status' | 'headers' | 'text'>;

/** Passes a request on by `send`, and makes the response. */
type Alter = (
  sent: ProxiedRequest,
  send: (sent: ProxiedRequest) => Promise<ProxiedResponse>,
) => Promise<ProxiedResponse>;

/** A proxy on loopback whose behavior a test sets. By default it passes everything on. */
export async function startAlteringProxy(to: () => number) {
  const honest: Alter = (sent, send) => send(sent);
  let alter = honest;
  const send = ({ method, path, headers, body }: ProxiedRequest) =>
    request(to(), method, path, { headers, body });
  const { port, close } = await startUpstream(async (req, res) => {
    const { connection: _, 'transfer-encoding': __, ...given } = req.headers;
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));
    const sent = { method: req.method ?? '', path: req.url ?? '', headers, body: await buffer(req) };
    try {
      const { status, headers: received, text } = await alter(sent, send);
      const { connection: _, 'transfer-encoding': __, 'content-length': ___, ...kept } = received;
      res.writeHead(status, kept).end(text);
    } catch {
      res.destroy();
    }
  });
  return {
    port,
    close,
    /** Sets the behavior for later requests. */
    alter: (next: Alter): void => {
      alter = next;
    },
    /** Passes everything on again. */
    restore: (): void => {
      alter = honest;
    },
  };
}

export type AlteringProxy = Awaited<ReturnType<typeof startAlteringProxy>>;
