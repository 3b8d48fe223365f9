import type { AuthorizeResponse } from '@platform/protos/identity';
import { AppError } from '@platform/service-kit/app-error.ts';
import { createLogger } from '@platform/service-kit/logger.ts';
import { type AskDeps, createAsk } from './identity-client.ts';

const logger = createLogger({ service: 'test', level: 'silent' });

const question = {
  bearer: 'sk_x',
  clientIp: '1.1.1.1',
  requiredScope: 'orders:read',
  requestId: 'r',
  beganAt: 0,
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
  },
  limit: 10,
  generation: 1,
  expiresAtUnixMs: 0,
  passport: 'p',
  passportExpiresAtUnixMs: 1_000_000,
};

type Authorize = AskDeps['client']['rpc']['Authorize'];

const liveness: AskDeps['liveness'] = { watch: (call) => call(), isDead: () => false };

/** Asks a service whose calls end as the list says, one after the other. */
async function askOf(...ends: (() => ReturnType<Authorize>)[]) {
  const deadlines: number[] = [];
  const Authorize: Authorize = (_request, { deadlineMs }) => {
    deadlines.push(deadlineMs);
    return ends.shift()?.() ?? Promise.reject(unavailable);
  };
  const limit: AskDeps['limit'] = { run: (work) => work() };
  const client = { rpc: { Authorize } };
  const answer = await createAsk({ client, liveness, limit, budgetMs: 250, logger })(question, 7);
  return { answer, deadlines };
}

const answers = async () => response;

const isLost = () => Promise.reject(unavailable);

const isRefused = () => Promise.reject(new AppError('unavailable', 'overloaded', 'too much is waiting'));

test('an answer becomes what the gateway keeps; the passport ends a little early', async () => {
  const { answer } = await askOf(answers);
  expect(answer).toMatchObject({ outcome: 'allowed', askedAt: 7, validUntil: 995_000, passport: 'p' });
});

test('a credential that ends before its passport ends the answer', async () => {
  const { answer } = await askOf(async () => ({ ...response, expiresAtUnixMs: 500 }));
  expect(answer).toMatchObject({ validUntil: 500 });
});

test('a call that was not delivered is made once more, within the same time', async () => {
  const { answer, deadlines } = await askOf(isLost, answers);
  expect(answer.outcome).toBe('allowed');
  expect(deadlines[0]).toBe(250);
  expect(deadlines[1]).toBeLessThanOrEqual(226);
});

test('two failures are an answer', async () => {
  const { answer, deadlines } = await askOf(isLost, isLost, answers);
  expect(answer).toEqual({ outcome: 'unavailable' });
  expect(deadlines).toHaveLength(2);
});

test('what identity-service has refused is not asked again', async () => {
  const { answer, deadlines } = await askOf(isRefused, answers);
  expect(answer).toEqual({ outcome: 'unavailable' });
  expect(deadlines).toHaveLength(1);
});

test('an outcome that nobody knows is no answer', async () => {
  const { answer } = await askOf(
    async () => ({ ...response, outcome: 'OUTCOME_UNSPECIFIED' }),
    async () => ({ ...response, principal: null }),
  );
  expect(answer).toEqual({ outcome: 'unavailable' });
});
