import { setTimeout as pause } from 'node:timers/promises';
import { Secret, TOTP } from 'otpauth';

/** Milliseconds of a step of the codes (RFC 6238), and those that a request with a code may take. */
const stepMs = 30_000;
const requestMs = 5_000;

/** A person's authenticator app. */
export interface Authenticator {
  /** Code of a step relative to now, 0 by default. One step in either direction is accepted, but none before a used one. */
  code(steps?: number): string;
  /** Code of the previous step, so that the current and the next code stay unused. Waits if a step is about to end. */
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
