import { type IncomingHttpHeaders, request } from 'node:http';

export interface SendOptions {
  /** GET where absent. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const limitMs = 10_000;

/**
 * Sends one request on a connection of its own: one kept open would hold up the gateway's end.
 * @throws when no whole answer comes in ten seconds
 */
export function send(
  url: string | URL,
  { method = 'GET', headers = {}, body }: SendOptions = {},
): Promise<Answer> {
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const options = { method, agent: false, headers: { ...headers, ...length } };
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...options, signal: AbortSignal.timeout(limitMs) });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer
        .setEncoding('utf8')
        .toArray()
        .then((chunks) => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: chunks.join('') });
        })
        .catch(reject);
    });
    sent.end(body);
  });
}
