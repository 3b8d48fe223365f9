import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { countRequests, createRollingHour, hourMs } from '@platform/service-kit/values/rolling-hour.ts';
import fc from 'fast-check';
import { apiScopes } from '../../../testing/api-scopes.ts';
import type { RequestDemand } from '../../traffic/request-log.ts';
import { authorize, type Demand } from '../authorization/authorize.ts';
import type { Credential } from '../authorization/credential.ts';
import { type Change, forecast } from './forecast.ts';

/*
 * Promise: the forecast of a change is what then happens. Requests are recorded as the edge decided about them, then sent
 * again after the change, through `authorize` and the rolling hour of the gateways.
 */

const start = Date.UTC(2026, 10, 22);

interface Call extends Demand {
  readonly at: number;
  readonly method: string;
  readonly route: string;
  /** Its end for another reason: before its credential is looked up, or after it was admitted. */
  readonly otherwise: 'plain_http' | 'no_route' | 'upstream_failed' | undefined;
}

const addresses = [
  ...Array.from({ length: 20 }, (_, n) => `203.0.113.${n * 12}`),
  '2001:db8::7',
  '::ffff:203.0.113.12',
];
const addressArb = fc.constantFrom(...addresses);
const whitelistArb = fc.uniqueArray(
  fc.oneof(addressArb, fc.constantFrom('203.0.113.0/25', '203.0.113.128/26', '2001:db8::/32', 'no address')),
  { maxLength: 5 },
);
const knownScopes = [...apiScopes.keys()];
const someScopes = fc.subarray(knownScopes);

const credentialArb: fc.Arbitrary<Credential> = fc.record({
  id: fc.constant('key_1'),
  type: fc.constant('restricted_key' as const),
  businessId: fc.constant(7),
  applicationId: fc.constant(undefined),
  scopes: fc.subarray(knownScopes, { minLength: knownScopes.length - 1 }),
  limitId: fc.constant('key_1'),
  limit: fc.integer({ min: 400, max: 2_500 }),
  ipWhitelist: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constant(['203.0.113.0/24'])),
  allowedOrigins: fc.constant([]),
  generation: fc.constant(1),
  expiresAt: fc.constant(undefined),
  frozen: fc.constant(false),
  keyFrozen: fc.constant(false),
  isSandbox: fc.constant(false),
  suspended: fc.constant(undefined),
  readAt: fc.constant(start + 7 * 24 * hourMs),
});

const settingArbs = {
  scopes: someScopes,
  ipWhitelist: fc.option(whitelistArb, { nil: undefined }),
  limit: fc.integer({ min: 1, max: 3_000 }),
  expiresAt: fc.constantFrom(start, start + 8 * 24 * hourMs),
  frozen: fc.constant(true),
  keyFrozen: fc.constant(true),
  suspended: fc.constantFrom('application' as const, 'connection' as const),
};

/** A change of one or two settings, mostly of those that do not refuse everything; one in ten ends the credential. */
const changeArb = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ scopes: settingArbs.scopes, limit: settingArbs.limit }, { requiredKeys: [] }),
  },
  {
    weight: 5,
    arbitrary: fc.record(
      { ipWhitelist: settingArbs.ipWhitelist, limit: settingArbs.limit },
      { requiredKeys: [] },
    ),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.record(settingArbs),
        fc.constantFrom(...Object.keys(settingArbs)),
        fc.constantFrom(...Object.keys(settingArbs)),
      )
      .map(([all, ...chosen]) =>
        Object.fromEntries(Object.entries(all).filter(([name]) => chosen.includes(name))),
      ),
  },
  { weight: 1, arbitrary: fc.constant('end' as const) },
);

/** 10,000 calls over six hours, in bursts, from addresses of unequal weight. */
const tracesArb: fc.Arbitrary<readonly Call[]> = fc
  .array(
    fc.record({
      gap: fc.oneof(
        { weight: 9, arbitrary: fc.integer({ min: 1, max: 2_000 }) },
        fc.integer({ max: 9_000, min: 1 }),
      ),
      place: fc.nat(400),
      otherwise: fc.oneof(
        { weight: 40, arbitrary: fc.constant(undefined) },
        fc.constantFrom('plain_http' as const, 'no_route' as const, 'upstream_failed' as const),
      ),
    }),
    { minLength: 10_000, maxLength: 10_000, size: 'max' },
  )
  .map((steps) => {
    let at = start;
    return steps.map(({ gap, place, otherwise }) => {
      at += gap;
      const weight = Math.floor((place * place) / 400);
      const method = weight % 3 === 0 ? 'POST' : 'GET';
      const requiredScope = weight % 11 === 0 ? undefined : knownScopes[weight % knownScopes.length];
      const clientIp = addresses[weight % addresses.length] ?? '';
      return {
        at,
        method,
        route: weight % 7 === 0 ? '/v2/rate-limit' : `/v2/${weight % 5}`,
        clientIp,
        requiredScope,
        otherwise,
      };
    });
  });

const bearer = createCheckedToken('rk');
const passport = { token: '', upstreamTokens: {}, expiresAt: 0 };

const refusalNames: Readonly<Record<string, string>> = {
  invalid: 'unknown',
  frozen: 'business_frozen',
  ip_denied: 'ip_not_allowed',
  scope_denied: 'insufficient_scope',
};

/** Sends calls to the edge: the reason of each refusal. @param credential undefined for one that is deleted */
async function send(calls: readonly Call[], credential: Credential | undefined) {
  const deps = {
    hasher: { candidates: () => [] },
    findCredential: async () => credential,
    findRetired: async () => undefined,
    issuePassport: async () => passport,
  };
  const hour = createRollingHour(start);
  // The decision about a demand is the same each time, the limit is not.
  const decided = new Map<string, Awaited<ReturnType<typeof authorize>>['outcome']>();
  const results: (string | undefined)[] = [];
  for (const { at, otherwise, clientIp, requiredScope, route } of calls) {
    if (otherwise === 'plain_http') {
      results.push(otherwise);
      continue;
    }
    const key = `${clientIp} ${requiredScope}`;
    const outcome =
      decided.get(key) ??
      (await authorize(deps, { bearer, endsAt: Infinity, clientIp, requiredScope })).outcome;
    decided.set(key, outcome);
    const isCounted = outcome !== 'invalid' && outcome !== 'expired' && route !== '/v2/rate-limit';
    const isLimited = isCounted && countRequests(hour, at, credential?.limit ?? 0, 1).admitted === 0;
    const refusal = outcome === 'allowed' ? otherwise : (refusalNames[outcome] ?? outcome);
    results.push(isLimited ? 'rate_limited' : refusal);
  }
  return results;
}

/** The log of calls, as it is read: demands, with times in no order. */
function demandsOf(calls: readonly Call[], refusals: readonly (string | undefined)[]): RequestDemand[] {
  const records = calls.map((call, index) => ({ ...call, refusal: refusals[index] }));
  const groups = Map.groupBy(records, (record) => JSON.stringify({ ...record, at: 0, otherwise: 0 }));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const { at, otherwise, ...demand } = first;
    const startedAt = Float64Array.from(group, (record) => record.at).reverse();
    const lastAt = Math.max(...startedAt);
    return [{ ...demand, limitId: 'key_1', requests: group.length, lastAt, startedAt }];
  });
}

const isAdmitted = (refusal: string | undefined) =>
  refusal === undefined || refusal === 'no_route' || refusal === 'upstream_failed';

type Tally = Readonly<Record<string, number>>;

const tallyOf = (entries: readonly (readonly [what: object, requests: number])[]): Tally => {
  const tally: Record<string, number> = {};
  for (const [what, requests] of entries) {
    const key = JSON.stringify(what);
    tally[key] = (tally[key] ?? 0) + requests;
  }
  return tally;
};

const [tracesCount, changesPerTrace] = [10, 20];
const seen = new Set<string | undefined>();
const traces = fc.sample(fc.tuple(tracesArb, credentialArb, credentialArb), {
  seed: 20_261_129,
  numRuns: tracesCount,
});

describe('the forecast is what happens after the change, for', () => {
  test.each(traces.map((trace, index) => [index, trace] as const))(
    '20 random changes and 10,000 calls that are sent again (trace %i)',
    async (index, [calls, then, later]) => {
      // Settings may have changed since the calls were recorded, but not the limit, on which they depend.
      const today = index % 2 === 0 ? then : { ...later, limit: then.limit };
      const recorded = await send(calls, then);
      const present = await send(calls, today);
      const demands = demandsOf(calls, recorded);
      const considered = calls.map((_, n) => isAdmitted(recorded[n]) && isAdmitted(present[n]));
      for (const settings of fc.sample(changeArb, { seed: index, numRuns: changesPerTrace })) {
        const change: Change = (before) => (settings === 'end' ? undefined : { ...before, ...settings });
        const after = await send(calls, settings === 'end' ? undefined : { ...today, ...settings });
        const happened = calls.flatMap(({ at, otherwise, ...demand }, n) =>
          considered[n] === true && !isAdmitted(after[n])
            ? [[{ ...demand, reason: after[n] }, 1] as const]
            : [],
        );
        const { requests, effects } = forecast(demands, [today], change);
        const forecasted = effects.map(({ demand, reason, requests: refused }) => {
          const { method, route, clientIp, requiredScope } = demand;
          return [{ method, route, clientIp, requiredScope, reason }, refused] as const;
        });
        expect({ settings, requests, refused: tallyOf(forecasted) }).toEqual({
          settings,
          requests: considered.filter(Boolean).length,
          refused: tallyOf(happened),
        });
        for (const [{ reason }] of happened) seen.add(reason);
      }
    },
  );

  test('every reason to refuse, each of which the changes above brought about', () => {
    expect([...seen].sort()).toEqual([
      'application_suspended',
      'business_frozen',
      'connection_suspended',
      'expired',
      'insufficient_scope',
      'ip_not_allowed',
      'key_frozen',
      'rate_limited',
      'unknown',
    ]);
  });
});
