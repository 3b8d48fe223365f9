import { Client, credentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { authorizationService, canaryKeyService, type Outcome } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { z } from 'zod';
import type { TestKey } from '../harness/api-keys.ts';
import { type CanaryKeys, connectCanaryKeys } from '../harness/canary-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { type HeldLocks, holdTable } from '../harness/hold-table.ts';
import { type Load, startLoad } from '../harness/load.ts';
import { metricIn, metricsOf } from '../harness/metrics.ts';
import { call, callPatience } from '../harness/patience.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import type { TestService } from '../harness/service.ts';

/*
 * Promise: a part that gets SIGTERM loses no request, and one that is killed loses nothing that it has acknowledged.
 */

// One gateway asks identity-service about every request; the other caches authorizations.
const platform = running(() =>
  startPlatform({
    gateways: 2,
    identities: 2,
    businesses: 2,
    gatewayEnv: (index) => (index === 0 ? { ANSWER_CACHE: 'off' } : {}),
  }),
);
let key: TestKey;
beforeAll(async () => {
  key = await platform.createKey();
  // How long the replicas take to start does not matter: the load of an hour stays below it.
  await platform.setKeyLimit(key, 1_000_000);
});

const order = JSON.stringify({
  currency: 'EUR',
  line_items: [{ name: 'Chair', quantity: 1, unit_amount: 4_900 }],
  customer: { name: 'Ada' },
});

describe('under load, ended one after the other', () => {
  const loads: Load[] = [];
  beforeAll(() => {
    const shared = { ports: platform.gatewayPorts, key: key.keyString };
    const json = { 'Content-Type': 'application/json' };
    loads.push(
      startLoad({ ...shared, rate: 20, path: '/v2/businesses/me' }),
      startLoad({ ...shared, rate: 10, path: '/v2/order', method: 'POST', headers: json, body: order }),
    );
  });
  afterAll(() => Promise.all(loads.map((load) => load.stop())));

  /** Waits until each load has got so many more responses. */
  const moreResponses = (count: number) =>
    Promise.all(
      loads.map(({ report }) => {
        const before = report.records.length;
        return expectEventually(() => expect(report.records.length).toBeGreaterThan(before + count), {
          withinMs: 20_000,
        });
      }),
    );

  interface Part {
    readonly replicas: () => readonly TestService[];
    /** Database and table that every request to this part needs. */
    readonly needs: () => readonly [database: string, table: string];
  }
  const business = () => [platform.databases.business, 'businesses'] as const;
  const identity = () => [platform.databases.identity, 'api_keys'] as const;
  const parts: Readonly<Record<string, Part>> = {
    gateway: { replicas: () => platform.gateways, needs: business },
    'identity-service': { replicas: () => platform.identities, needs: identity },
    'business-service': { replicas: () => platform.businesses, needs: business },
  };

  const severalWait = async (held: HeldLocks) => {
    const waiting = await held.waiting();
    const responses = loads.map(({ report }) => report.counts());
    if (waiting < 3)
      throw new Error(`${waiting} requests wait; responses so far: ${JSON.stringify(responses)}`);
  };

  /** Some of them are under way in this very process: a request that waits for no lock has ended by the next look. */
  const isBusy = async (service: TestService) => {
    for (let look = 0; look < 5; look++) {
      const text = await metricsOf(service);
      const [open = 0, idle = 0] = ['open', 'idle'].map((state) => metricIn(text, `database_pool_${state}`));
      const forwarded = metricIn(text, 'gateway_upstream_requests') ?? 0;
      if (open - idle + forwarded < 1) throw new Error('This replica has no request that waits.');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };

  /** Holds the table until several requests wait for it in this service. @throws where none came before the lock had to end */
  async function holdWhileBusy(service: TestService, { needs }: Part): Promise<HeldLocks> {
    const held = await holdTable(...needs());
    try {
      await expectEventually(() => severalWait(held), { withinMs: 250, everyMs: 2 });
      await expectEventually(() => isBusy(service), { withinMs: 250, everyMs: 2 });
      return held;
    } catch (error) {
      await held.release();
      throw error;
    }
  }

  /** Sends SIGTERM while several requests are under way for certain. */
  async function endWhileBusy(service: TestService, part: Part) {
    // A lock each time: a request that waited for one of 15 seconds would fail, as in production.
    const held = await expectEventually(() => holdWhileBusy(service, part), { withinMs: 5_000 });
    try {
      const ended = service.stop();
      // By the time of this response the signal has arrived.
      await held.waiting();
      await held.release();
      return await ended;
    } finally {
      await held.release();
    }
  }

  // While the second replica is down, every request goes through the first one, which was started again.
  test.each(Object.entries(parts))(
    '%s loses no request, exits by itself, and is used again',
    async (_, part) => {
      for (const service of part.replicas()) {
        await moreResponses(5);
        // A service whose end takes longer than it may exits with 1.
        expect(await endWhileBusy(service, part)).toEqual({ code: 0, signal: null });
        await moreResponses(5);
        await service.start();
      }
      await moreResponses(10);
      const [reads, writes] = loads.map(({ report }) => report);
      expect(reads?.failures(200)).toEqual([]);
      expect(writes?.failures(201)).toEqual([]);
    },
    240_000,
  );

  test('every acknowledged order is stored once', async () => {
    const [, writes] = await Promise.all(loads.map((load) => load.stop()));
    const ids = await orderIds();
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(writes?.records.length ?? -1);
  });
});

const orderPage = z.object({
  data: z.array(z.object({ id: z.string() })),
  next_cursor: z.string().nullable(),
});

/** Ids of all orders of the business. */
async function orderIds(): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query = `limit=100${cursor && `&cursor=${cursor}`}`;
    const response = await platform.request(0, 'GET', `/v2/order?${query}`, { key: key.keyString });
    const page = orderPage.parse(response.json());
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return ids;
}

/** State of a key string after an acknowledged change. */
interface Truth {
  readonly keyString: string;
  readonly outcome: Outcome;
  readonly status: number;
  readonly limit?: number;
}

const works = { outcome: 'OUTCOME_ALLOWED', status: 200 } as const;
const isInvalid = { outcome: 'OUTCOME_INVALID', status: 401 } as const;
const operations: readonly ((keys: CanaryKeys) => Promise<Truth[]>)[] = [
  async (keys) => [{ ...works, keyString: (await keys.takeKey('created')).keyString }],
  async (keys) => {
    const given = await keys.takeKey('rotated');
    await expectUse(given);
    const { keyString } = await keys.takeKey('rotated');
    return [
      { ...works, keyString },
      { ...isInvalid, keyString: given.keyString },
    ];
  },
  async (keys) => {
    const { keyString } = await keys.takeKey('limited', { limit: 77 });
    return [{ ...works, keyString, limit: 77 }];
  },
];

/** Uses a key at each gateway, which remembers it then. */
async function expectUse({ keyString }: TestKey): Promise<void> {
  for (const gateway of [0, 1]) expect((await platform.me(keyString, gateway)).status).toBe(200);
}

describe('identity-service killed right after its response', () => {
  const scope = 'business:read';

  const expectTruthOn = async (replica: TestService | undefined, truths: readonly Truth[]) => {
    const target = `ipv4:127.0.0.1:${replica?.ports.grpc}`;
    const { rpc, close } = createGrpcClient(authorizationService, { target, tls: { kind: 'plain' } });
    for (const { keyString, outcome, limit } of truths) {
      const question = { bearer: keyString, clientIp: '192.0.2.1', requiredScope: scope };
      const response = await rpc.Authorize(question, { deadlineMs: 30_000 });
      expect(response).toMatchObject({ outcome, ...(limit !== undefined && { limit }) });
    }
    close();
  };

  test('after it made, rotated and limited keys: its responses hold on every gateway', async () => {
    const [first, second] = platform.identities;
    if (first === undefined) throw new Error('There is no identity-service.');
    const onFirst = connectCanaryKeys(`ipv4:127.0.0.1:${first.ports.grpc}`, platform.businessId);
    const truths = (await Promise.all(operations.map((operate) => operate(onFirst)))).flat();
    await first.kill();
    onFirst.disconnect();

    for (const { keyString, status, limit } of truths) {
      for (const gateway of [0, 1]) {
        const response = await platform.me(keyString, gateway);
        expect(response.status).toBe(status);
        if (limit !== undefined) expect(response.headers['x-ratelimit-limit']).toBe(String(limit));
      }
    }
    await expectTruthOn(second, truths);
    await first.start();
    await expectTruthOn(first, truths);
  });
});

test('an identity-service that is stopped finishes its calls, and callers get no error', async () => {
  const { identities, targets } = platform;
  const tls = { kind: 'plain' } as const;
  const { rpc, close } = createGrpcClient(authorizationService, {
    target: targets.identity,
    tls,
    ...callPatience,
  });
  const question = { bearer: key.keyString, clientIp: '192.0.2.1', requiredScope: '' };
  const outcomes = new Set<string>();
  let asking = true;
  const ask = async () => {
    while (asking) {
      const asked = rpc.Authorize(question, call).then(({ outcome }) => outcome);
      outcomes.add(await asked.catch(({ message }: Error) => message));
    }
  };
  const calls = [ask(), ask()];
  expect(await identities[0]?.stop()).toMatchObject({ code: 0 });
  await identities[0]?.start();
  asking = false;
  await Promise.all(calls);
  close();
  expect([...outcomes]).toEqual(['OUTCOME_ALLOWED']);
});

test('a call in flight when identity-service is stopped gets its response', async () => {
  const { identities, redis } = platform;
  const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'], name: 'in flight' });
  // Without keep-alive: grpc-js takes a ping that it cannot send on a closing connection for a dead one, and drops the
  // call (grpc/grpc-node issue 3068).
  const client = new Client(`ipv4:127.0.0.1:${identities[0]?.ports.grpc}`, credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = canaryKeyService.TakeKey;
  const request = { businessId: key.businessId, name: 'in flight', scopes: [], limit: 0 };
  redis?.freeze();
  const response = new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, response) =>
      error ? reject(error) : resolve(response),
    );
  });
  const isRotated = async () => expect((await platform.getKey(key)).rotatedAt).toBeDefined();
  await expectEventually(isRotated, { withinMs: 5_000 });
  // It has the call, and waits for Redis.
  const end = await identities[0]?.stop();
  expect(await response).toMatchObject({ apiKeyId: key.id, propagation: 'PROPAGATION_PENDING' });
  expect(end).toMatchObject({ code: 0 });
  client.close();
  redis?.thaw();
});
