import { explainGroup } from '../../../traffic/explain.ts';
import type { RequestGroup } from '../../../traffic/request-log.ts';
import type { Client } from '../../../traffic/usage.ts';

/** Failed API requests of one connection of an application. */
interface ConnectionFailures {
  /** The connected business. */
  readonly businessId: number;
  readonly groups: readonly RequestGroup[];
}

/** Calls of one connection that came before the time that a 429 had named. */
export interface EarlyCalls {
  readonly businessId: number;
  readonly requests: number;
  /** Start of the latest minute with one, milliseconds since 1970. */
  readonly lastAt: number;
}

/** Authorization requests with a `code_challenge` that an earlier one had. */
export interface RepeatedChallenges {
  readonly requests: number;
  /** Milliseconds since 1970; undefined for none. */
  readonly lastAt: number | undefined;
}

/** Counts and times on record of an application. */
export interface Findings {
  /** The application, for the words about it. */
  readonly client: Client;
  /** Failed OAuth requests. */
  readonly oauth: readonly RequestGroup[];
  readonly connections: readonly ConnectionFailures[];
  readonly early: readonly EarlyCalls[];
  readonly repeatedChallenges: RepeatedChallenges;
}

/** Something that goes wrong with an application. */
export interface Problem {
  /** Of the requests; their status where they have none; or `early_calls`, `repeated_challenge`. */
  readonly reason: string;
  /** Whether the requests are in the log of the business that owns the application, with `reason`. */
  readonly isListed: boolean;
  /** In a few words. */
  readonly title: string;
  /** How to fix it; `{support}` stands for the address for questions. */
  readonly advice: string;
  /** Anchor in the documentation of errors. */
  readonly anchor: string;
  readonly requests: number;
  /** Milliseconds since 1970. */
  readonly lastAt: number;
  /** Connected businesses that it concerns, the most requests first; empty for OAuth requests. */
  readonly businesses: readonly { readonly businessId: number; readonly requests: number }[];
}

/** Problems that end a connection, show a leak, or get the application refused. */
const grave: ReadonlySet<string> = new Set([
  'plain_http',
  'client_address',
  'code_used',
  'refresh_reused',
  'early_calls',
]);

/** Failures that happen to an application that is right, or that it cannot prevent. */
const expected: ReadonlySet<string> = new Set([
  'expired',
  'rate_limited',
  'refresh_expired',
  'oauth_connection_ended',
  'oauth_connection_suspended',
  'connection_suspended',
  'access_ended',
  'business_frozen',
  'approval_needs_page',
  'approval_second_factor',
  'authorization_unavailable',
  'oauth_unavailable',
  'revocation_unconfirmed',
  'overloaded',
  'stopping',
]);

/** 0 is the heaviest. */
function rankOf(reason: string): number {
  if (grave.has(reason)) return 0;
  return expected.has(reason) || /^5\d\d$/.test(reason) ? 2 : 1;
}

/** Problems, the heaviest first, and among those of the same weight the most frequent. */
export function problemsOf({ client, oauth, connections, early, repeatedChallenges }: Findings): Problem[] {
  return [
    ...byReason(oauth.map((group) => ({ group }))).map((alike) => oauthProblem(alike, client)),
    ...byReason(connections.flatMap(failuresOf)).map((alike) => connectionProblem(alike, client)),
    ...earlyProblem(early),
    ...challengeProblem(repeatedChallenges),
  ].toSorted((a, b) => rankOf(a.reason) - rankOf(b.reason) || b.requests - a.requests);
}

const failuresOf = ({ businessId, groups }: ConnectionFailures) =>
  groups.map((group) => ({ group, businessId }));

/** At least one, and all of the same reason. */
type Alike<Failure> = readonly [Failure, ...Failure[]];

const reasonOf = ({ refusal, status }: RequestGroup) => refusal ?? String(status);

function byReason<Failure extends { readonly group: RequestGroup }>(
  failures: readonly Failure[],
): Alike<Failure>[] {
  const found = new Map<string, [Failure, ...Failure[]]>();
  for (const failure of failures) {
    const known = found.get(reasonOf(failure.group));
    if (known === undefined) found.set(reasonOf(failure.group), [failure]);
    else known.push(failure);
  }
  return [...found.values()];
}

function oauthProblem(alike: Alike<{ readonly group: RequestGroup }>, client: Client): Problem {
  const { title, advice, anchor } = explainGroup(alike[0].group, client, 'client');
  return {
    ...{ reason: reasonOf(alike[0].group), isListed: true, title, advice, anchor },
    ...totalOf(alike.map(({ group }) => group)),
    businesses: [],
  };
}

function connectionProblem(alike: Alike<ReturnType<typeof failuresOf>[number]>, client: Client): Problem {
  const { title, advice, anchor } = explainGroup(alike[0].group, client, 'access_token');
  return {
    ...{ reason: reasonOf(alike[0].group), isListed: false, title, advice, anchor },
    ...totalOf(alike.map(({ group }) => group)),
    businesses: byBusiness(alike.map(({ group: { requests }, businessId }) => ({ businessId, requests }))),
  };
}

function totalOf(counted: readonly Pick<Problem, 'requests' | 'lastAt'>[]) {
  return {
    requests: counted.reduce((sum, { requests }) => sum + requests, 0),
    lastAt: Math.max(...counted.map(({ lastAt }) => lastAt)),
  };
}

function byBusiness(counted: Problem['businesses']): Problem['businesses'] {
  const sums = new Map<number, number>();
  for (const { businessId, requests } of counted) {
    sums.set(businessId, (sums.get(businessId) ?? 0) + requests);
  }
  return Array.from(sums, ([businessId, requests]) => ({ businessId, requests })).toSorted(
    (a, b) => b.requests - a.requests,
  );
}

function earlyProblem(early: readonly EarlyCalls[]): Problem[] {
  if (early.length === 0) return [];
  return [
    {
      reason: 'early_calls',
      isListed: false,
      title: 'Retry-After is not obeyed',
      advice:
        'After a 429, send nothing for the same connection until the seconds in Retry-After have passed. Whatever comes before is refused.',
      anchor: 'rate_limit_exceeded',
      ...totalOf(early),
      businesses: byBusiness(early),
    },
  ];
}

function challengeProblem({ requests, lastAt }: RepeatedChallenges): Problem[] {
  if (lastAt === undefined) return [];
  return [
    {
      reason: 'repeated_challenge',
      isListed: false,
      title: 'The same code_challenge came twice',
      advice:
        'Make a new code_verifier for each authorization request: a code is then of no use to anyone who knows an older one. A single repeat may be a person who opened the same link again.',
      anchor: 'oauth',
      requests,
      lastAt,
      businesses: [],
    },
  ];
}
