import type { AuthorizeResponse } from '@platform/protos/identity';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { createFetchAuthorization, type FetchAuthorizationDeps } from './identity-client.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

const query = {
  bearer: 'sk_x',
  clientIp: '1.1.1.1',
  requiredScope: 'orders:read',
  requestId: 'r',
  startedAt: 0,
};

const unavailable = new AppError('unavailable', 'grpc_unavailable', 'gone');

const response: AuthorizeResponse = {
  outcome: 'OUTCOME_ALLOWED',
  principal: {
    businessId: 1,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
    credentialId: 'key_1',
    limitId: 'key_1',
    scopes: [],
    allowedOrigins: [],
    isSandbox: false,
  },
  limit: 10,
  generation: 1,
  expiresAtUnixMs: 0,
  passport: 'p',
  upstreamPassports: { shop: 'for shop' },
  passportExpiresAtUnixMs: 1_000_000,
  retired: null,
};

type Authorize = FetchAuthorizationDeps['client']['rpc']['Authorize'];

const liveness: FetchAuthorizationDeps['liveness'] = { watch: (call) => call(), isDead: () => false };

/** Much: a process that stands still for a moment has used up no budget. */
const budgetMs = 10_000;

/** Fetches from a service whose calls end as listed, in order. */
async function fetchFrom(...ends: (() => ReturnType<Authorize>)[]) {
  const deadlines: (number | undefined)[] = [];
  const Authorize: Authorize = (_request, call) => {
    deadlines.push(call?.deadlineMs);
    return ends.shift()?.() ?? Promise.reject(unavailable);
  };
  const limit: FetchAuthorizationDeps['limit'] = { run: (work) => work() };
  const client = { rpc: { Authorize } };
  const result = await createFetchAuthorization({ client, liveness, limit, budgetMs, logger })(query, 7);
  return { result, deadlines };
}

const responds = async () => response;

const isUndelivered = () => Promise.reject(unavailable);

const isRejected = () =>
  Promise.reject(new AppError('unavailable', 'overloaded', 'too many calls are waiting'));

test('a response becomes a cacheable result; the passport expires a little early', async () => {
  const { result } = await fetchFrom(responds);
  expect(result).toMatchObject({ outcome: 'allowed', requestedAt: 7, validUntil: 995_000, passport: 'p' });
  expect(result).toMatchObject({ upstreamPassports: new Map([['shop', 'for shop']]) });
});

test('a credential that expires before its passport bounds the result', async () => {
  const { result } = await fetchFrom(async () => ({ ...response, expiresAtUnixMs: 500 }));
  expect(result).toMatchObject({ validUntil: 500 });
});

test('an undelivered call is retried within the same budget', async () => {
  const { result, deadlines } = await fetchFrom(isUndelivered, responds);
  expect(result.outcome).toBe('allowed');
  const [first = 0, second = 0] = deadlines;
  expect(first).toBeLessThanOrEqual(budgetMs);
  // It waits 25 ms before the second, and timers may be a millisecond early.
  expect(second).toBeLessThanOrEqual(first - 23);
  expect(second).toBeGreaterThan(0);
});

test('two failures are unavailable', async () => {
  const { result, deadlines } = await fetchFrom(isUndelivered, isUndelivered, responds);
  expect(result).toEqual({ outcome: 'unavailable' });
  expect(deadlines).toHaveLength(2);
});

test('a call that identity-service has rejected is not retried', async () => {
  const { result, deadlines } = await fetchFrom(isRejected, responds);
  expect(result).toEqual({ outcome: 'unavailable' });
  expect(deadlines).toHaveLength(1);
});

test('an unknown outcome is unavailable', async () => {
  const { result } = await fetchFrom(
    async () => ({ ...response, outcome: 'OUTCOME_UNSPECIFIED' }),
    async () => ({ ...response, principal: null }),
  );
  expect(result).toEqual({ outcome: 'unavailable' });
});
