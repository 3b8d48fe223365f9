import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { runDirectory } from './run-directory.ts';

/** Parts of a response that the report shows. */
interface Remembered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

let last: { readonly line: string; readonly response: Remembered } | undefined;

/** Remembers a request of this test file and its response, for the report of a test that fails. */
export function rememberRequest(method: string, path: string, response: Remembered): void {
  last = { line: `${method} ${path}`, response };
}

/** The last request of this test file, its response, and the lines that every service has logged about it. */
export function describeLastRequest(): string {
  if (last === undefined) return '';
  const { line, response } = last;
  const requestId = response.headers['x-request-id'];
  const lines = typeof requestId === 'string' ? linesAbout(requestId) : [];
  return [`Last request: ${line} -> ${response.status} ${response.text.slice(0, 500)}`, ...lines].join(
    '\n  ',
  );
}

function linesAbout(requestId: string): string[] {
  const { logs } = runDirectory();
  return readdirSync(logs).flatMap((name) =>
    readFileSync(join(logs, name), 'utf8')
      .split('\n')
      .filter((line) => line.includes(requestId)),
  );
}

// The environment of the test file asks it.
Object.assign(globalThis, { describeLastRequest });
