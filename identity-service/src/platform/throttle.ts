import { createHash } from 'node:crypto';
import type { Database } from '@platform/service-kit/database/database.ts';
import { readRows } from '@platform/service-kit/database/rows.ts';
import { z } from 'zod';
import type { Prisma } from '../generated/client.ts';
import type { PrismaClient } from './storage.ts';

/** Decision about one attempt. */
interface Verdict {
  readonly allowed: boolean;
  /** Seconds until the window ends; at least 1. */
  readonly retryAfterSeconds: number;
  /** The first attempt above the limit in this window: one of all replicas sees it. */
  readonly isFirstRefused: boolean;
}

export type Throttle = ReturnType<typeof createThrottle>;

/** A limit with a name: attempts of one subject within a window. */
export interface ThrottleRule {
  /** The first part of the key: `login:address`. */
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

/**
 * Key of a rule for some subjects. They are hashed, so that the table contains no email addresses and keys have a fixed
 * length.
 */
export function throttleKey(rule: string, ...subjects: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify(subjects)).digest('base64url');
  return `${rule}:${digest}`;
}

/** A rule and the subjects of an attempt, such as an address and an account. */
export type Attempt = readonly [rule: ThrottleRule, ...subjects: string[]];

/**
 * Counts an attempt under several rules in order, and resolves to the verdict of the first exceeded one. Refused attempts
 * are not counted under later rules, so that an attacker at a narrow limit does not use up a wide one for others.
 */
export async function countAttempts(
  throttle: Throttle,
  attempts: readonly Attempt[],
): Promise<Verdict | undefined> {
  for (const [{ name, limit, windowSeconds }, ...subjects] of attempts) {
    const verdict = await throttle.hit(throttleKey(name, ...subjects), limit, windowSeconds);
    if (!verdict.allowed) return verdict;
  }
  return undefined;
}

/** Takes back the count of an attempt that had no effect. */
export function takeBack(throttle: Throttle, [{ name, windowSeconds }, ...subjects]: Attempt): Promise<void> {
  return throttle.takeBack(throttleKey(name, ...subjects), windowSeconds);
}

const minute = 60;

const quarter = 15 * minute;

const hour = 60 * minute;

const day = 24 * hour;

const rule = (name: string, limit: number, windowSeconds: number): ThrottleRule => ({
  name,
  limit,
  windowSeconds,
});

/**
 * Limits on what people can do without proof of their identity. docs/decisions/throttles.md gives the reasons.
 * A name ends with what is counted: address, account, business, or two of them together.
 */
export const rules = {
  loginAddress: rule('login:address', 100, quarter),
  loginAccountAddress: rule('login:account+address', 10, quarter),
  /** Logins from all unknown browsers together. Limits guesses at one account. */
  loginAccount: rule('login:account', 200, hour),
  /** Logins in a browser that has logged in with the current password. They do not count under other login rules. */
  loginAccountDevice: rule('login:account+device', 10, quarter),
  /** Wrong passwords, and wrong codes after the right password, after which the owner gets an email. */
  passwordNotice: rule('password-notice:account', 20, day),
  codeNotice: rule('code-notice:account', 5, day),
  /** Challenges that visitors have made, and logins with them. */
  passkeyAddress: rule('passkey:address', 600, quarter),
  /** Challenges of logged-in people, and passkeys that they add. */
  passkeyAccount: rule('passkey:account', 60, quarter),
  /** Reached only with the right password. */
  secondFactorAccount: rule('second-factor:account', 10, quarter),
  /** Codes with which logged-in people turn on a second factor. Separate from logins, as only an open session is needed. */
  factorConfirmationAccount: rule('second-factor-confirmation:account', 10, quarter),
  /** Entries of the password by logged-in people. */
  passwordAccount: rule('password:account', 10, quarter),
  signUpAddress: rule('sign-up:address', 20, hour),
  signUpAccount: rule('sign-up:account', 3, hour),
  /** Beyond this limit the pause between emails is longer. No request is refused. */
  resetAddress: rule('reset:address', 20, hour),
  /** New email addresses of one person, and emails that ask one address to confirm. */
  emailChangePerson: rule('email-change:person', 5, hour),
  emailChangeAccount: rule('email-change:account', 3, hour),
  /** Emails of one business to one address, all emails to one address, and all emails of one business. */
  inviteAccountBusiness: rule('invite:account+business', 3, hour),
  inviteAccount: rule('invite:account', 10, hour),
  inviteBusiness: rule('invite:business', 30, hour),
  /** Businesses of one person: each takes a username for good. */
  creationPerson: rule('business-creation:person', 5, day),
  /** Attempts to create a business, including those that fail, for example because of a taken username. */
  creationAttemptPerson: rule('business-creation-attempt:person', 60, hour),
  /** Sandboxes, including those that have ended. */
  sandboxPerson: rule('sandbox-creation:person', 20, day),
  /** Presses that make invented orders: each makes up to fifty, with their events and deliveries. */
  sandboxOrdersBusiness: rule('sandbox-orders:business', 30, hour),
  /** Each change of the record is an event for every receiver, and an image may be stored. */
  recordBusiness: rule('record:business', 30, hour),
  /** Each check sends seven requests to the endpoint. */
  receiverCheckEndpoint: rule('receiver-check:endpoint', 6, minute),
  /** Anyone may read public keys; a receiver keeps them for minutes. */
  webhookKeysAddress: rule('webhook-keys:address', 120, minute),
  /** Searches, views and changes by one operator, so that a stolen session can neither list nor ban all businesses. */
  operatorSearch: rule('operator-search:person', 100, quarter),
  operatorView: rule('operator-view:person', 300, quarter),
  operatorAction: rule('operator-action:person', 60, quarter),
  /** Reports of leaked strings, of up to 1,000 strings each; GitHub's come from few addresses. */
  leaksAddress: rule('leaks:address', 60, minute),
  githubLeaksAddress: rule('leaks-github:address', 600, minute),
  /** Revocations by keys that gateways would look up: random strings have no valid tag, and are not counted. */
  selfRevokeAddress: rule('self-revoke:address', 120, minute),
  /** Guesses of mailed tokens. */
  linkAddress: rule('link:address', 60, quarter),
} as const;

/** Several attempts to count under one key. */
interface WantedPlaces {
  /** Of `throttleKey`. */
  readonly key: string;
  readonly limit: number;
  readonly windowSeconds: number;
  readonly wanted: number;
}

const placesRow = z.object({ key: z.string(), count: z.int() });

/**
 * Counts several attempts under each key, in the windows of `createThrottle`. Resolves to the number that each limit admits.
 * Rows are locked in sorted order, so that concurrent transactions never deadlock.
 */
export async function takePlaces(
  client: Prisma.TransactionClient,
  wanted: readonly WantedPlaces[],
): Promise<ReadonlyMap<string, number>> {
  if (wanted.length === 0) return new Map();
  const upsert = client.$queryRaw`
    INSERT INTO throttle_counts AS stored (key, window_start, count)
    SELECT key, date_bin(make_interval(secs => "windowSeconds"), clock_timestamp(), 'epoch'), wanted
    FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS added
      (key text, "windowSeconds" float8, wanted int)
    ORDER BY key
    ON CONFLICT (key, window_start) DO UPDATE SET count = least(stored.count::bigint + excluded.count, 2000000000)
    RETURNING key, count`;
  const counts = new Map((await readRows(placesRow, upsert)).map(({ key, count }) => [key, count]));
  return new Map(
    wanted.map(({ key, limit, wanted: added }) => {
      const before = (counts.get(key) ?? 0) - added;
      return [key, Math.min(added, Math.max(0, limit - before))];
    }),
  );
}

const countRow = z.object({ count: z.int(), seconds_left: z.number() });

/**
 * Counts attempts under keys in PostgreSQL, in fixed windows on its clock: all replicas count together.
 * @param scale multiplies every limit
 */
export function createThrottle(database: Database, prisma: PrismaClient, scale: number) {
  return {
    /**
     * Counts one attempt, also when it is refused.
     * @param key of `throttleKey`
     * @param windowSeconds at most a day
     * @throws AppError unavailable when the database cannot serve
     */
    hit: (key: string, limit: number, windowSeconds: number): Promise<Verdict> =>
      database.run(async () => {
        // A window starts at a multiple of its length. The count stops short of the column's end.
        const upsert = prisma.$queryRaw`
          INSERT INTO throttle_counts AS stored (key, window_start, count)
          VALUES (${key}, date_bin(make_interval(secs => ${windowSeconds}), clock_timestamp(), 'epoch'), 1)
          ON CONFLICT (key, window_start) DO UPDATE SET count = least(stored.count + 1, 2000000000)
          RETURNING count,
            extract(epoch FROM window_start - clock_timestamp())::float8 + ${windowSeconds} AS seconds_left`;
        const [row] = await readRows(countRow, upsert);
        if (row === undefined) throw new Error('an upsert returned no row');
        const allowed = row.count <= limit * scale;
        return {
          allowed,
          isFirstRefused: !allowed && row.count - 1 <= limit * scale,
          retryAfterSeconds: Math.max(1, Math.ceil(row.seconds_left)),
        };
      }),
    /** Takes one attempt back. A window that has begun since stays as it is. */
    takeBack: (key: string, windowSeconds: number): Promise<void> =>
      database.run(async () => {
        await prisma.$executeRaw`
          UPDATE throttle_counts SET count = count - 1
          WHERE key = ${key} AND count > 0
            AND window_start = date_bin(make_interval(secs => ${windowSeconds}), clock_timestamp(), 'epoch')`;
      }),
  };
}
