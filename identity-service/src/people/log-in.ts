import { Counter, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { rules, type Throttle, type ThrottleRule, throttleKey } from '../platform/throttle.ts';
import type { Mailer } from '../web/mail.ts';
import { failedLoginsEmail } from './emails.ts';
import type { PasswordHasher } from './password.ts';
import { hasSecondFactor, type Person, type PersonWithSecrets } from './person.ts';
import type { PersonStore } from './store.ts';

export interface LogInDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
}

interface LogInInput {
  /** The person of the email address; undefined when there is none. */
  readonly person: PersonWithSecrets | undefined;
  readonly password: string;
  readonly clientIp: string;
  readonly requestId: string;
  /** Browser and system, when it has not logged in before; the person gets a notice then. */
  readonly newBrowser: string | undefined;
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

/** Checks the password of a person. Takes the same time for an unknown one. */
export async function logIn(
  { people, passwords }: LogInDeps,
  { person, password, clientIp, requestId, newBrowser }: LogInInput,
): Promise<LogInOutcome> {
  const matches = await passwords.matches(password, person?.passwordHash);
  if (person === undefined || !matches) return { kind: 'refused' };
  const { id: personId, passwordSetAt } = person;
  if (hasSecondFactor(person)) return { kind: 'awaiting', personId, passwordSetAt };
  const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
  await people.inTransaction((transaction) =>
    transaction.audit(personId, {
      actor,
      action: 'person.logged_in',
      details: { secondFactor: 'none', newBrowser },
    }),
  );
  return { kind: 'logged_in', personId, passwordSetAt };
}

export interface FailedLoginDeps {
  readonly throttle: Throttle;
  readonly mailer: Mailer;
}

/**
 * Counts a wrong password or code under a rule, after the response; emails the owner with the first above its limit.
 * @param account lower-case email address
 * @param person undefined when the address has no account
 */
export function noteFailedLogin(
  { throttle, mailer }: FailedLoginDeps,
  rule: ThrottleRule,
  { account, person, clientIp }: { account: string; person: Person | undefined; clientIp: string },
): void {
  const { name, limit, windowSeconds } = rule;
  mailer.background.run('failed login', async () => {
    const { isFirstRefused } = await throttle.hit(throttleKey(name, account), limit, windowSeconds);
    if (!isFirstRefused || person === undefined) return;
    const what = name === rules.codeNotice.name ? 'codes' : 'passwords';
    await mailer.sendMail({ to: person.email, ...failedLoginsEmail(what, clientIp, mailer.publicUrl) });
  });
}

const outcomes = ['logged_in', 'awaiting', 'refused', 'throttled'] as const;

/** Outcome of one step of a login. */
export type LoginOutcome = (typeof outcomes)[number];

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
  // Prometheus sees no increase when a series appears with its first value.
  for (const outcome of outcomes) counter.inc({ outcome }, 0);
  return (outcome) => counter.inc({ outcome });
}
