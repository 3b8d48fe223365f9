import { HttpError } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Response } from 'express';
import type { PageEvents } from './spec.ts';

interface EventStreamsOptions {
  /** Streams of this process, and of one person in it. */
  readonly max: number;
  readonly maxPerPerson: number;
  /** Milliseconds between two checks of the session and the rights. */
  readonly recheckMs: number;
  readonly logger: Logger;
}

/** Milliseconds between comments on a stream: the gateway ends one after a minute of silence. */
const heartbeatMs = 15_000;

/** Milliseconds after which a browser connects again. */
const reconnectMs = 2_000;

/** Bytes that a page may leave unread. */
const maxUnread = 65_536;

interface StreamOptions {
  readonly personId: string;
  readonly events: PageEvents;
  /** Whether the session still has the rights with which the stream was opened. */
  readonly mayContinue: () => Promise<boolean>;
}

/** Server-sent events for pages of the dashboard. */
export interface EventStreams {
  /** Sends events until the page leaves, the rights end, or the process stops. @throws HttpError 503 for too many streams */
  send(res: Response, options: StreamOptions): Promise<void>;
  /** Ends all streams, and refuses further ones. */
  close(): void;
}

export function createEventStreams({
  max,
  maxPerPerson,
  recheckMs,
  logger,
}: EventStreamsOptions): EventStreams {
  const stopping = new AbortController();
  const open = new Map<Response, string>();
  const enter = (res: Response, personId: string) => {
    const own = [...open.values()].filter((id) => id === personId).length;
    if (stopping.signal.aborted || open.size >= max || own >= maxPerPerson) {
      throw new HttpError(503, 'Too many pages are open.');
    }
    open.set(res, personId);
  };
  return {
    send: async (res, { personId, events, mayContinue }) => {
      enter(res, personId);
      const ended = new AbortController();
      const end = () => ended.abort();
      res.once('close', end);
      // Ends the stream when a write meets a connection that has just been closed.
      res.on('error', end);
      // The page left while its rights were checked: there is no further `close`.
      if (res.destroyed) end();
      const timers = [
        setInterval(() => write(res, ':\n\n'), heartbeatMs),
        setInterval(() => void mayContinue().then((may) => may || end(), end), recheckMs),
      ];
      try {
        begin(res);
        await writeEvents(logger, res, events(AbortSignal.any([ended.signal, stopping.signal])));
      } finally {
        for (const timer of timers) clearInterval(timer);
        open.delete(res);
        res.end();
      }
    },
    close: () => stopping.abort(),
  };
}

function begin(res: Response): void {
  res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  res.write(`retry: ${reconnectMs}\n\n`);
}

/** Also ends when the source of the events is lost: the page connects again, and asks for what it has missed. */
async function writeEvents(logger: Logger, res: Response, events: AsyncIterable<string>): Promise<void> {
  try {
    for await (const name of events) {
      if (res.writableLength > maxUnread) return;
      write(res, `event: ${name}\ndata: {}\n\n`);
    }
  } catch (error) {
    logger.info({ err: error, requestId: res.locals.requestId }, 'event stream lost');
  }
}

function write(res: Response, text: string): void {
  if (!res.destroyed && !res.writableEnded) res.write(text);
}
