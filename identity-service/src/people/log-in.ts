import { Counter, type Registry } from '@platform/service-kit/metrics.ts';
import type { PasswordHasher } from './password.ts';
import { normalizeEmail } from './person.ts';
import type { PersonStore } from './store.ts';

export interface LogInDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
}

interface LogInInput {
  readonly email: string;
  readonly password: string;
  readonly clientIp: string;
  readonly requestId: string;
}

export type LogInOutcome =
  /** No such person or wrong password: indistinguishable to the client. */
  | { readonly kind: 'refused' }
  | {
      /** `awaiting`: the second factor is still missing. */
      readonly kind: 'logged_in' | 'awaiting';
      readonly personId: string;
      readonly passwordSetAt: number;
    };

/** Checks email address and password. Takes the same time for an unknown address. */
export async function logIn(
  { people, passwords }: LogInDeps,
  { email, password, clientIp, requestId }: LogInInput,
): Promise<LogInOutcome> {
  const person = await people.findByEmail(normalizeEmail(email));
  const matches = await passwords.matches(password, person?.passwordHash);
  if (person === undefined || !matches) return { kind: 'refused' };
  const { id: personId, passwordSetAt } = person;
  if (person.secondFactor === 'on') return { kind: 'awaiting', personId, passwordSetAt };
  const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
  await people.inTransaction((transaction) =>
    transaction.audit(personId, { actor, action: 'person.logged_in', details: { secondFactor: 'none' } }),
  );
  return { kind: 'logged_in', personId, passwordSetAt };
}

/** Outcome of one step of a login. */
export type LoginOutcome = 'logged_in' | 'awaiting' | 'refused' | 'throttled';

/** Counts one step of a login. */
export type CountLogin = (outcome: LoginOutcome) => void;

/** Counts login steps by outcome: a rise of refused or throttled ones suggests an attack. */
export function createLoginCounter(registry: Registry): CountLogin {
  const counter = new Counter({
    name: 'identity_logins_total',
    help: 'Steps of logins, by outcome.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  return (outcome) => counter.inc({ outcome });
}
