import { setTimeout } from 'node:timers/promises';
import type { Logger } from '../logger.ts';
import { type Loop, startLoop } from '../loop.ts';
import { Client, sessionUrl } from './connection.ts';
import { openGuardedSocket } from './guarded-socket.ts';

interface NotificationOptions {
  /** `postgresql://…` */
  readonly url: string;
  /** Shown by pg_stat_activity. */
  readonly applicationName: string;
  /** Name of the channel: lower case letters and underscores. */
  readonly channel: string;
  readonly logger: Logger;
  readonly onMessage: (payload: string) => void;
  /** Called after every new connection: what was published before it was not received. */
  readonly onGap: () => void;
}

/** One channel of LISTEN and NOTIFY, on a connection of its own. */
export interface Notifications {
  /**
   * Publishes a text to every listener of the channel, this one included. Texts that arrive while a statement is under
   * way go together with the next. A text is lost when the process ends before, or the connection during its statement.
   */
  publish(payload: string): void;
  close(): Promise<void>;
}

/** Texts that wait for a connection; the oldest are dropped. */
const maxPending = 10_000;

/** Texts of one statement. */
const batchSize = 1_000;

/** Milliseconds that connecting and each statement may take. */
const limitMs = 2_500;

/** Milliseconds between two looks at the connection; also until the next attempt to connect. */
const checkMs = 1_000;

/**
 * Listens until it is closed, and connects again after every failure.
 *
 * Writers publish after their transaction, not in it: PostgreSQL lets one transaction with a NOTIFY commit at a time, the
 * flush to disk included. A listener that must not miss anything reads the tables as well.
 */
export function openNotifications(options: NotificationOptions): Notifications {
  const { url, applicationName, channel, logger, onMessage, onGap } = options;
  const pending = new Set<string>();
  let connected: Client | undefined;
  let sending = false;

  async function connect(): Promise<void> {
    const client = new Client({
      connectionString: sessionUrl(url),
      application_name: applicationName,
      connectionTimeoutMillis: limitMs,
      query_timeout: limitMs,
      keepAlive: true,
      stream: openGuardedSocket,
    });
    const lost = (error?: Error) => {
      if (connected === client) connected = undefined;
      if (error !== undefined) logger.warn({ err: error, channel }, 'notifications lost');
    };
    client.on('error', lost).on('end', () => lost());
    client.on('notification', ({ payload = '' }) => onMessage(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      // Not awaited: a server that does not respond does not confirm the end either.
      void client.end().catch(() => undefined);
      throw error;
    }
    connected = client;
    onGap();
    void send();
  }

  async function check(): Promise<void> {
    if (connected === undefined) return connect();
    const client = connected;
    try {
      await client.query('SELECT 1');
    } catch (error) {
      if (connected === client) connected = undefined;
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  async function send(): Promise<void> {
    if (sending) return;
    sending = true;
    try {
      while (connected !== undefined && pending.size > 0) {
        const batch = [...pending].slice(0, batchSize);
        for (const payload of batch) pending.delete(payload);
        await connected.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
          channel,
          batch,
        ]);
      }
    } catch (error) {
      logger.warn({ err: error, channel }, 'notifications not published');
    } finally {
      sending = false;
    }
  }

  const loop: Loop = startLoop({ name: `notifications ${channel}`, everyMs: checkMs, round: check, logger });
  return {
    publish: (payload) => {
      pending.add(payload);
      for (const oldest of pending) {
        if (pending.size <= maxPending) break;
        pending.delete(oldest);
      }
      void send();
    },
    close: async () => {
      await loop.stop();
      const client = connected;
      connected = undefined;
      if (client !== undefined)
        await Promise.race([client.end(), setTimeout(limitMs, undefined, { ref: false })]);
    },
  };
}
