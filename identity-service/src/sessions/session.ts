import { createHash, randomBytes } from 'node:crypto';

/** What a session of a browser stands for. */
export interface SessionContent {
  /** Who is logged in; absent while a second factor is awaited. */
  readonly personId?: string | undefined;
  /** Who has shown the password, and still has to show a code. */
  readonly awaiting?: string | undefined;
  /** When the password was set that the login was made with (milliseconds since 1970): a new one ends the session. */
  readonly passwordSetAt: number;
  readonly clientIp: string;
  /** Of the browser, cut to 200 characters. */
  readonly userAgent: string;
}

/** A session as its person sees it in a list. Times are milliseconds since 1970. */
export interface SessionSummary {
  /** Names the session towards its person; worthless as a cookie. */
  readonly reference: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly clientIp: string;
  readonly userAgent: string;
}

/** How long sessions last, in seconds. */
export interface SessionLimits {
  /** Without being used. */
  readonly idleSeconds: number;
  /** In any case. */
  readonly totalSeconds: number;
}

/** Seconds that the second factor may take. */
export const awaitingSeconds = 600;

/**
 * Seconds after which a use is noted again: not with every request, and often enough that a short idle limit is kept to a
 * tenth.
 */
export function noteEverySeconds({ idleSeconds }: SessionLimits): number {
  return Math.min(60, idleSeconds / 10);
}

/** A new id: 192 random bits. */
export function newSessionId(): string {
  return randomBytes(24).toString('base64url');
}

/** What is stored of an id. An id is too random to be guessed from its hash, so no pepper is needed. */
export function hashSessionId(id: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(id).digest();
}

/** The name of a session in lists: its hash, which opens nothing. */
export function sessionReference(id: string): string {
  return hashSessionId(id).toString('hex');
}
