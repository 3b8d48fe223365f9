import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@platform/service-kit/values/app-error.ts';

/** Stored content of a browser session. */
export interface SessionContent {
  /** The person; absent until login is complete. */
  readonly personId?: string | undefined;
  /** The person whose password was accepted and whose second factor is missing. */
  readonly awaiting?: string | undefined;
  /** When the password of the login was set (milliseconds since 1970); a new password ends the session. */
  readonly passwordSetAt: number;
  /** The login was complete without a second factor; turning one on ends the session. */
  readonly passwordOnly?: boolean | undefined;
  /** The passkey that the session began with; removing it ends the session. */
  readonly passkeyId?: string | undefined;
  readonly clientIp: string;
  /** User-Agent, cut to 200 characters. */
  readonly userAgent: string;
}

/** Session in a list. Times are milliseconds since 1970. */
export interface SessionSummary {
  /** Hash of the session id; not usable as a cookie. */
  readonly reference: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly clientIp: string;
  readonly userAgent: string;
}

/** Lifetime of sessions, in seconds. */
export interface SessionLimits {
  /** Longest time between two uses. */
  readonly idleSeconds: number;
  /** Longest time since login. */
  readonly totalSeconds: number;
}

/** Minutes after entering the password or using a passkey in which sensitive requests of the session are confirmed. */
export const confirmedMinutes = 10;

/**
 * Checks that the person has recently entered the password or used a passkey. An open session alone may not get the string
 * of a secret key.
 * @throws AppError permission_denied
 */
export function checkIdentityConfirmed(isConfirmed: boolean): void {
  if (isConfirmed) return;
  throw new AppError(
    'permission_denied',
    'confirmation_required',
    `enter your password or use a passkey first: a secret key asks for it once per ${confirmedMinutes} minutes`,
  );
}

/** Lifetime in seconds of a session that awaits the second factor. */
export const awaitingSeconds = 600;

/**
 * Seconds between updates of a session's last use, at most a tenth of the idle limit. It is not updated on every request.
 */
export function noteEverySeconds({ idleSeconds }: SessionLimits): number {
  return Math.min(60, idleSeconds / 10);
}

/** Creates a session id: 192 random bits. */
export function newSessionId(): string {
  return randomBytes(24).toString('base64url');
}

/** Hash of an id, as stored. Without a pepper: an id has too many random bits to be guessed from its hash. */
export function hashSessionId(id: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(id).digest();
}

/** Reference of a session in lists: its hash. */
export function sessionReference(id: string): string {
  return hashSessionId(id).toString('hex');
}
