import { get } from 'node:http';
import type { Browser } from './browser.ts';

/** A stream of server-sent events, as a page has it. */
export interface EventStream {
  readonly status: number;
  /** Names of the events so far. */
  readonly events: readonly string[];
  /** Whether the server has ended it. */
  readonly hasEnded: boolean;
  /** Leaves, as a page that is closed. */
  close(): void;
}

/** Opens a stream with the cookies of a browser. Resolves once the head of the response is there. */
export function openEventStream(port: number, path: string, { cookies }: Browser): Promise<EventStream> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, headers: { cookie }, agent: false }, (response) => {
      const events: string[] = [];
      let hasEnded = false;
      /** Of a line that has not ended. */
      let begun = '';
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        const lines = (begun + text).split('\n');
        begun = lines.pop() ?? '';
        for (const line of lines) if (line.startsWith('event: ')) events.push(line.slice('event: '.length));
      });
      response.on('close', () => {
        hasEnded = true;
      });
      response.on('error', () => undefined);
      const status = response.statusCode ?? 0;
      resolve({
        status,
        events,
        get hasEnded() {
          return hasEnded;
        },
        close: () => void request.destroy(),
      });
    });
    request.on('error', reject);
  });
}
