import type { IncomingMessage } from 'node:http';
import { finished, type Writable } from 'node:stream';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { RequestHandler } from 'express';
import { bodyTooLarge, type GatewayError, requestTimeout, tooManyBodies } from './errors.ts';
import { KeyedSemaphore } from './keyed-semaphore.ts';

/** Bytes read before the upstream request begins. Bodies up to this size are buffered whole. */
export const bufferedBytes = 65_536;

/** Minimum rate of a body: bytes per window of milliseconds (1 kB/s). */
const windowMs = 5_000;

const bytesPerWindow = 5_000;

/** Windows in which a buffered body must be complete. */
const maxWindows = 3;

/** Milliseconds and bytes for which the rest of a body is drained after the response. */
const drainMs = 2_000;

const drainBytes = 32 * 1024 * 1024;

type BodyError = 'too_large' | 'too_slow' | 'gone';

interface ReceiveOptions {
  readonly maxBytes: number;
  /** Called at most once, also while the upstream reads. */
  readonly onError: (error: BodyError) => void;
}

/**
 * The body of a request. A small one is buffered whole, a large one up to its prefix, so that a slow client occupies
 * only its own connection; the rest is streamed at the upstream's pace and above a minimum rate.
 */
export class RequestBody {
  readonly #request: IncomingMessage;
  #prefix: Buffer[] = [];
  #received = 0;
  #destination: Writable | undefined;
  #watch: NodeJS.Timeout | undefined;
  /** While true, reading waits for the upstream, not the client. */
  #isHeld = false;
  #isWhole = false;

  constructor(request: IncomingMessage) {
    this.#request = request;
  }

  /** Whether the head announces a body. */
  get isExpected(): boolean {
    const { headers } = this.#request;
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  }

  /** Whether parts of the body are unread. Its connection cannot be reused then. */
  get isUnread(): boolean {
    return !this.#request.complete && this.isExpected;
  }

  /** Bytes of memory for the buffered part. */
  get memoryNeeded(): number {
    return Math.min(Number(this.#request.headers['content-length'] ?? bufferedBytes), bufferedBytes);
  }

  /** Length of a buffered body; undefined for a streamed one. */
  get length(): number | undefined {
    return this.#isWhole ? this.#received : undefined;
  }

  /** Whether the request has no body, or the whole body is buffered. */
  get isAtHand(): boolean {
    return this.#isWhole || !this.isExpected;
  }

  /** A completely buffered body, which stays. */
  get whole(): Buffer {
    const [only, ...others] = this.#prefix;
    const whole = only === undefined || others.length > 0 ? Buffer.concat(this.#prefix) : only;
    this.#prefix = [whole];
    return whole;
  }

  /** Removes and returns a completely buffered body; null when the request has no body. */
  take(): Buffer | null {
    const chunks = this.#prefix;
    this.#prefix = [];
    this.#isHeld = false;
    return chunks.length > 1 ? Buffer.concat(chunks) : (chunks[0] ?? null);
  }

  /** Buffers the body or its prefix; then calls `done`, unless there was an error. */
  receive({ maxBytes, onError }: ReceiveOptions, done: () => void): void {
    const request = this.#request;
    let isPending = true;
    let isOver = false;
    const end = (error: BodyError) => {
      if (isOver) return;
      isOver = true;
      this.#stopWatch();
      this.#prefix = [];
      onError(error);
    };
    const proceed = () => {
      if (!isPending || isOver) return;
      isPending = false;
      this.#isHeld = true;
      done();
    };
    request.on('data', (chunk: Buffer) => {
      this.#received += chunk.length;
      if (this.#received > maxBytes) {
        end('too_large');
        return;
      }
      // Without a destination, reading only continues after a refusal, which drops the rest.
      if (isOver || !isPending) return;
      this.#prefix.push(chunk);
      if (this.#received <= bufferedBytes) return;
      request.pause();
      proceed();
    });
    request.once('end', () => {
      this.#stopWatch();
      this.#isWhole = this.#destination === undefined;
      proceed();
    });
    request.once('close', () => {
      this.#stopWatch();
      if (isPending) end('gone');
    });
    this.#startWatch(() => end('too_slow'));
  }

  /** Writes the buffered part and pipes the rest. */
  sendTo(destination: Writable): void {
    this.#isHeld = false;
    for (const chunk of this.#prefix) destination.write(chunk);
    this.#prefix = [];
    if (this.#isWhole || !this.isExpected) {
      destination.end();
      return;
    }
    this.#destination = destination;
    this.#request.pipe(destination);
  }

  /**
   * Reads the rest and drops it, then calls `done`, which ends the response: ending it earlier would reset the connection,
   * and a client that sends before it reads would lose the response (RFC 9112 section 9.6). Drains for a bounded time;
   * beyond the limit of bytes it stops reading and waits for the client to notice.
   */
  drain(done: () => void): void {
    const request = this.#request;
    let drained = 0;
    const timer = setTimeout(done, drainMs);
    finished(request, () => {
      clearTimeout(timer);
      done();
    });
    request.unpipe();
    request.on('data', (chunk: Buffer) => {
      drained += chunk.length;
      if (drained > drainBytes) request.pause();
    });
    request.resume();
  }

  #startWatch(onSlow: () => void): void {
    let seen = 0;
    let windows = 0;
    let wasBlocked = false;
    this.#watch = setInterval(() => {
      const isBlocked = this.#isHeld || this.#destination?.writableNeedDrain === true;
      const isSlow = this.#received - seen < bytesPerWindow && !isBlocked && !wasBlocked;
      const isLate = ++windows >= maxWindows && this.#destination === undefined && !this.#isHeld;
      seen = this.#received;
      wasBlocked = isBlocked;
      if (isSlow || isLate) onSlow();
    }, windowMs);
  }

  #stopWatch(): void {
    clearInterval(this.#watch);
  }
}

/** Bytes of buffered bodies in this process, and of one network. */
const maxMemory = 128 * 1024 * 1024;

const maxMemoryPerClient = 16 * 1024 * 1024;

/**
 * Buffers small bodies and the beginning of large ones before a slot at the upstream is taken. Sends 100 Continue
 * only now, after all checks of the head.
 */
export function receiveBody(maxBodyBytes: number): RequestHandler {
  const memory = new KeyedSemaphore({ total: maxMemory, limitFor: () => maxMemoryPerClient });
  const errors: Readonly<Record<BodyError, GatewayError | undefined>> = {
    too_large: bodyTooLarge(maxBodyBytes),
    too_slow: requestTimeout,
    gone: undefined,
  };
  return (req, res, next) => {
    const { exchange } = req;
    const { body } = exchange;
    if (!body.isExpected) return next();
    const keys = [addressBlock(exchange.clientIp)];
    const needed = body.memoryNeeded;
    if (!memory.tryAcquire(keys, needed)) return exchange.refuse(tooManyBodies);
    exchange.atEnd(() => memory.release(keys, needed));
    if (req.headers.expect !== undefined) res.writeContinue();
    const onError = (reason: BodyError) => {
      const error = errors[reason];
      if (error !== undefined) exchange.refuse(error);
    };
    body.receive({ maxBytes: maxBodyBytes, onError }, () => next());
  };
}
