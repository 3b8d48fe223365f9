import { setTimeout } from 'node:timers/promises';
import { type Loop, startLoop } from '../process/loop.ts';
import type { Logger } from '../telemetry/logger.ts';
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
  /** Called after every new connection, because earlier messages may have been missed. */
  readonly onGap: () => void;
}

/** Texts that wait for a connection; the oldest are dropped. */
const maxPending = 10_000;

/** Texts of one statement. */
const batchSize = 1_000;

/** Milliseconds that connecting and each statement may take. */
const limitMs = 2_500;

/** Milliseconds between checks of the connection, and between attempts to connect. */
const checkMs = 1_000;

/**
 * One channel of LISTEN and NOTIFY, on a dedicated connection. Listens until it is closed, and reconnects after every failure.
 *
 * Writers publish after their transaction, not within it, because PostgreSQL serializes the commits of transactions with a
 * NOTIFY, including the flush to disk. A listener that must not miss anything also reads the tables.
 */
export class Notifications {
  readonly #options: NotificationOptions;
  readonly #loop: Loop;
  readonly #pending = new Set<string>();
  #connected: Client | undefined;
  #isSending = false;

  constructor(options: NotificationOptions) {
    const { channel, logger } = options;
    this.#options = options;
    const name = `notifications ${channel}`;
    this.#loop = startLoop({ name, everyMs: checkMs, round: () => this.#check(), logger });
  }

  /**
   * Publishes a text to every listener of the channel, including this one. Texts that arrive during a statement are sent
   * together by the next. A text is lost if the process ends before its statement, or the connection during it.
   */
  publish(payload: string): void {
    this.#pending.add(payload);
    for (const oldest of this.#pending) {
      if (this.#pending.size <= maxPending) break;
      this.#pending.delete(oldest);
    }
    void this.#send();
  }

  async close(): Promise<void> {
    await this.#loop.stop();
    const client = this.#connected;
    this.#connected = undefined;
    if (client !== undefined)
      await Promise.race([client.end(), setTimeout(limitMs, undefined, { ref: false })]);
  }

  async #check(): Promise<void> {
    const client = this.#connected;
    if (client === undefined) return this.#connect();
    try {
      await client.query('SELECT 1');
    } catch (error) {
      this.#forget(client);
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const { url, applicationName, channel, logger, onMessage, onGap } = this.#options;
    const client = new Client({
      connectionString: sessionUrl(url),
      application_name: applicationName,
      connectionTimeoutMillis: limitMs,
      query_timeout: limitMs,
      keepAlive: true,
      stream: openGuardedSocket,
    });
    client
      .on('error', (error) => {
        this.#forget(client);
        logger.warn({ err: error, channel }, 'notifications lost');
      })
      .on('end', () => this.#forget(client));
    client.on('notification', ({ payload = '' }) => onMessage(payload));
    try {
      await client.connect();
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      // Not awaited, because a server that does not respond does not confirm the end either.
      void client.end().catch(() => undefined);
      throw error;
    }
    this.#connected = client;
    onGap();
    void this.#send();
  }

  #forget(client: Client): void {
    if (this.#connected === client) this.#connected = undefined;
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    const { channel, logger } = this.#options;
    this.#isSending = true;
    try {
      while (this.#connected !== undefined && this.#pending.size > 0) {
        const batch = [...this.#pending].slice(0, batchSize);
        for (const payload of batch) this.#pending.delete(payload);
        await this.#connected.query('SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS payload', [
          channel,
          batch,
        ]);
      }
    } catch (error) {
      logger.warn({ err: error, channel }, 'notifications not published');
    } finally {
      this.#isSending = false;
    }
  }
}
