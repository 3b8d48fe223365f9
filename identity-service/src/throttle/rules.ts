import type { ThrottleRule } from './throttle.ts';

const minute = 60;
const quarter = 15 * minute;
const hour = 60 * minute;

const rule = (name: string, limit: number, windowSeconds: number): ThrottleRule => ({
  name,
  limit,
  windowSeconds,
});

/**
 * Limits on what people do without a proof of who they are. Why these: docs/decisions/throttles.md.
 * A name ends with what is counted: address, account, business, or two of them together.
 */
export const rules = {
  loginAddress: rule('login:address', 100, quarter),
  loginAccountAddress: rule('login:account+address', 10, quarter),
  /** From everywhere together. The short window keeps an attacker from locking the owner out. */
  loginAccount: rule('login:account', 20, minute),
  /** Only whoever has shown the password gets here. */
  secondFactorAccount: rule('second-factor:account', 10, quarter),
  /** The password that logged-in people are asked for once more. */
  passwordAccount: rule('password:account', 10, quarter),
  signUpAddress: rule('sign-up:address', 20, hour),
  signUpAccount: rule('sign-up:account', 3, hour),
  resetAddress: rule('reset:address', 20, hour),
  resetAccount: rule('reset:account', 3, hour),
  /** Mails of one business to somebody, mails to somebody from everywhere, and all mails of one business. */
  inviteAccountBusiness: rule('invite:account+business', 3, hour),
  inviteAccount: rule('invite:account', 10, hour),
  inviteBusiness: rule('invite:business', 30, hour),
  /** Guesses of mailed tokens. */
  linkAddress: rule('link:address', 60, quarter),
} as const;
