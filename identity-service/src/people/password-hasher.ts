import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { createTurnstile } from './turnstile.ts';

/** Hashes passwords with argon2id, outside the event loop. */
export interface PasswordHasher {
  /** @throws AppError unavailable when too many wait */
  hash(password: string): Promise<string>;
  /**
   * Whether it is the password of a stored hash. Without a hash it is not, after the same time.
   * @throws AppError unavailable when too many wait
   */
  matches(password: string, stored: string | undefined): Promise<boolean>;
}

/** OWASP Password Storage Cheat Sheet: 19 MiB, two passes, one lane. argon2id is the library's default. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Leaves threads of Node's pool to everything else. */
const maxAtOnce = 2;
/** About two seconds of work. */
const maxWaiting = 60;

export function createPasswordHasher(): PasswordHasher {
  const turnstile = createTurnstile(maxAtOnce, maxWaiting);
  const hashOf = (password: string) => turnstile(() => hash(normal(password), cost));
  let nobodys: Promise<string> | undefined;
  return {
    hash: hashOf,
    matches: async (password, stored) => {
      nobodys ??= hash(randomBytes(32), cost);
      const against = stored ?? (await nobodys);
      const matches = await turnstile(() => verify(against, normal(password)));
      return matches && stored !== undefined;
    },
  };
}

/** The same characters however a keyboard composes them (NIST SP 800-63B 5.1.1.2). */
const normal = (password: string) => password.normalize('NFKC');
