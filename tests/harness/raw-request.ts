import { connect } from 'node:net';

/** Bytes received on a raw connection. */
export interface RawResponse {
  readonly text: string;
  /** Status codes of the responses in it, in order. */
  readonly statuses: readonly number[];
  /** Whether the server closed the connection. */
  readonly closed: boolean;
  /** Milliseconds from the connection to its end. */
  readonly afterMs: number;
}

export interface RawOptions {
  /** Milliseconds of silence after which the response counts as complete, unless the server has said that it will close. */
  readonly quietMs?: number;
  /** Responses that must have begun before silence counts, since those to several requests may be far apart. Default 1. */
  readonly responses?: number;
  /** Milliseconds after which the connection is given up. */
  readonly limitMs?: number;
}

/** Sends bytes as they are and collects what comes back until the server closes or falls silent. */
export function rawRequest(
  port: number,
  bytes: string | Uint8Array | readonly (string | Uint8Array)[],
  { quietMs = 500, responses = 1, limitMs = 30_000 }: RawOptions = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    let closed = false;
    const finish = () => {
      clearTimeout(quiet);
      clearTimeout(limit);
      socket.destroy();
      const text = received();
      resolve({ text, statuses: statusesIn(text), closed, afterMs: performance.now() - startedAt });
    };
    const received = () => Buffer.concat(chunks).toString('latin1');
    let quiet: NodeJS.Timeout | undefined;
    const limit = setTimeout(finish, limitMs);
    socket.once('connect', () => {
      for (const part of typeof bytes === 'string' || bytes instanceof Uint8Array ? [bytes] : bytes) {
        socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
      }
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      clearTimeout(quiet);
      const text = received();
      const isWhole = statusesIn(text).length >= responses && !/\r\nConnection: close\r\n/i.test(text);
      if (isWhole) quiet = setTimeout(finish, quietMs);
    });
    socket.on('error', (error) => (chunks.length === 0 && isRefused(error) ? reject(error) : undefined));
    socket.once('close', () => {
      closed = true;
      finish();
    });
  });
}

const statusesIn = (text: string) =>
  [...text.matchAll(/HTTP\/1\.[01] (\d{3}) /g)].map(([, status]) => Number(status));

const isRefused = (error: Error) => 'code' in error && error.code === 'ECONNREFUSED';
