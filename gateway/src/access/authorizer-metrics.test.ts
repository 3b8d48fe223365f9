import { beforeEach, expect, test } from '@jest/globals';
import { createRegistry, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Allowed, AuthorizationQuery, AuthorizationResult } from './authorization-result.ts';
import { createAuthorizer, createSequence } from './authorizer.ts';
import { type InstrumentedAuthorizer, instrumentAuthorizer } from './authorizer-metrics.ts';

const query: AuthorizationQuery = {
  bearer: 'sk_x',
  clientIp: '1.1.1.1',
  requiredScope: '',
  requestId: 'r',
  startedAt: 0,
};

const allowed = (requestedAt: number): Allowed => ({
  outcome: 'allowed',
  principal: {
    businessId: 1,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
    credentialId: 'k',
    limitId: 'k',
    scopes: [],
    expiresAt: undefined,
    allowedOrigins: [],
    isSandbox: false,
  },
  limit: 10,
  generation: 1,
  validUntil: 1,
  passport: 'p',
  upstreamPassports: new Map(),
  requestedAt,
});

let registry: Registry;

let authorizer: InstrumentedAuthorizer;

let now: number;

let outcome: AuthorizationResult['outcome'];

const sequence = createSequence();

beforeEach(() => {
  registry = createRegistry('test');
  now = 0;
  outcome = 'allowed';
  const fetchAuthorization = async (
    _: AuthorizationQuery,
    requestedAt: number,
  ): Promise<AuthorizationResult> =>
    outcome === 'allowed' ? allowed(requestedAt) : { outcome: 'unavailable' };
  authorizer = instrumentAuthorizer(
    fetchAuthorization,
    (instrumented) =>
      createAuthorizer({
        fetchAuthorization: instrumented,
        hasValidTag: () => true,
        sequence,
        monotonicNow: () => now,
        budgetMs: 1_000,
        cacheSize: 10,
      }),
    registry,
  );
});

const getCached = () => authorizer.getCached(query, sequence());

async function counts(name = 'gateway_answers_total'): Promise<Record<string, number>> {
  const values = (await registry.getSingleMetric(name)?.get())?.values ?? [];
  return Object.fromEntries(values.map(({ labels, value }) => [Object.values(labels).join(), value]));
}

test('an uncached result is a miss, a cached one a hit, one past its soft TTL renewed', async () => {
  await getCached();
  expect(await counts()).toEqual({ miss: 1 });
  await getCached();
  await getCached();
  expect(await counts()).toEqual({ miss: 1, hit: 2 });
  now = 25_000;
  await getCached();
  expect(await counts()).toEqual({ miss: 1, hit: 2, renewed: 1 });
  expect(await counts('gateway_identity_answers_total')).toEqual({ unavailable: 0, allowed: 2 });
});

test('a request for the same result shares the fetch', async () => {
  const since = sequence();
  const first = authorizer.getCached(query, since);
  await Promise.all([first, authorizer.getCached(query, since)]);
  expect(await counts()).toEqual({ miss: 1, shared: 1 });
});

test('while identity-service does not respond, a cached result past its hard TTL is overdue', async () => {
  await getCached();
  outcome = 'unavailable';
  now = 31_000;
  await getCached();
  await getCached();
  now = 33_000;
  await getCached();
  expect(await counts()).toEqual({ miss: 1, overdue: 3 });
  expect(await counts('gateway_identity_answers_total')).toEqual({ allowed: 1, unavailable: 2 });
});

test('a result that Redis does not confirm is stale', async () => {
  await authorizer.fetchAfter(query, sequence());
  expect(await counts()).toEqual({ stale: 1 });
});

test('a result for a response in progress is a recheck, cached or fetched', async () => {
  await authorizer.rechecks.getCached(query, sequence());
  await authorizer.rechecks.getCached(query, sequence());
  await authorizer.rechecks.fetchAfter(query, sequence());
  expect(await counts()).toEqual({ recheck: 3 });
  expect(await counts('gateway_identity_answers_total')).toEqual({ unavailable: 0, allowed: 2 });
});
