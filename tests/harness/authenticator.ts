import { setTimeout as pause } from 'node:timers/promises';
import { Secret, TOTP } from 'otpauth';

/** Milliseconds of a step of the codes (RFC 6238), and those that a request with a code may take. */
const stepMs = 30_000;
const requestMs = 5_000;

/** A person's authenticator app. */
export interface Authenticator {
  /** The code of a step, counted from now: 0 where absent. One step either way is taken, and none before a used one. */
  code(steps?: number): string;
  /** The code of the step before this one, so that this one's and the next one's are still new; waits while a step ends. */
  earliestCode(): Promise<string>;
}

/** @param secret base32, as pages show it: with or without blanks */
export function authenticatorOf(secret: string): Authenticator {
  const totp = new TOTP({ secret: Secret.fromBase32(secret.replaceAll(' ', '')) });
  const code = (steps = 0) => totp.generate({ timestamp: Date.now() + steps * stepMs });
  return {
    code,
    earliestCode: async () => {
      const leftMs = stepMs - (Date.now() % stepMs);
      // A timer may fire a moment before its time, which would be the step before.
      if (leftMs < requestMs) await pause(leftMs + 100);
      return code(-1);
    },
  };
}
