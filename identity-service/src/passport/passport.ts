import type { Credential } from '../authorization/credential.ts';

/** A short signed statement of who is calling, for business-service. */
export interface Passport {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** A passport for a credential that may pass, valid from `credential.readAt` on. */
export type IssuePassport = (credential: Credential) => Promise<Passport>;

const maxLifetimeMs = 10 * 60_000;
const minRemainingMs = 5 * 60_000;

/** When a passport issued now ends: in ten minutes, and never later than the credential. */
export function passportEnd({ expiresAt, readAt }: Pick<Credential, 'expiresAt' | 'readAt'>): number {
  // Whole seconds, except where the credential itself ends between two.
  const end = Math.floor((readAt + maxLifetimeMs) / 1000) * 1000;
  return expiresAt === undefined ? end : Math.min(end, expiresAt);
}

/** Whether a passport issued earlier still lasts long enough to be handed out: five minutes, or as long as it can. */
export function isLongEnough(
  passport: Passport,
  { expiresAt, readAt }: Pick<Credential, 'expiresAt' | 'readAt'>,
): boolean {
  return passport.expiresAt - readAt >= minRemainingMs || passport.expiresAt === expiresAt;
}
