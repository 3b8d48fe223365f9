import { afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { originService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { TestApplication } from '../harness/applications.ts';
import { startBusinessPlatform } from '../harness/business-platform.ts';
import { connectCanaryKeys } from '../harness/canary-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { failWrites } from '../harness/fail-writes.ts';
import { type HttpResponse, request } from '../harness/http-request.ts';
import { linesOf, logLines } from '../harness/log-lines.ts';
import { metricOf } from '../harness/metrics.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import type { TestService } from '../harness/service.ts';

/* The gateway's X-Request-Id stands in every line that any service writes for the request, and only the gateway sets it. */

const platform = running(() => startPlatform({ identityEnv: { LOG_LEVEL: 'debug' } }));
let owner: TestPerson;
let application: TestApplication;
let mend: () => Promise<void> = async () => {};
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
});
afterEach(() => mend());

const parts = () => {
  const [gateway, identity, business] = [
    ...platform.gateways,
    ...platform.identities,
    ...platform.businesses,
  ];
  if (!gateway || !identity || !business) throw new Error('The platform has three services.');
  return { gateway, identity, business };
};
type Part = keyof ReturnType<typeof parts>;

const idOf = ({ headers }: HttpResponse) => String(headers['x-request-id']);
const order = {
  currency: 'EUR',
  line_items: [{ name: 'Tea', quantity: 1, unit_amount: 100 }],
  customer: { name: 'Ada' },
};

/** Sends one request; holds the lines under its id against `wanted`, and sees that none was written without any id. */
async function expectLines(
  send: () => Promise<HttpResponse>,
  wanted: Partial<Record<Part, readonly string[]>>,
): Promise<HttpResponse> {
  const services = Object.entries(parts());
  const before = new Map(services.map(([name, service]) => [name, logLines(service).length]));
  const response = await send();
  await expectEventually(
    () => {
      // A gateway asks again where a busy machine has made the first response old.
      const isRepeated = (line: string, index: number, lines: readonly string[]) =>
        line === 'rpc Authorize' && lines.indexOf(line) < index;
      const found = services.map(([name, service]) => [
        name,
        linesOf(service, idOf(response))
          .filter((...line) => !isRepeated(...line))
          .sort(),
      ]);
      const all = { gateway: [], identity: [], business: [], ...wanted };
      expect(Object.fromEntries(found)).toEqual(all);
    },
    { withinMs: 10_000 },
  );
  for (const [name, service] of services) {
    const fresh = logLines(service).slice(before.get(name));
    expect(fresh.filter(({ requestId }) => requestId === undefined)).toEqual([]);
  }
  return response;
}

describe('all services log the same request ID', () => {
  test('for a request with an uncached key, regardless of the ID that its client sends', async () => {
    const { keyString: key } = await platform.createKey();
    const headers = { 'X-Request-Id': 'chosen-by-the-client' };
    const send = () => platform.request(0, 'GET', '/v2/businesses/me', { key, headers });
    const response = await expectLines(send, {
      gateway: ['request'],
      identity: ['rpc Authorize'],
      business: ['request'],
    });
    expect(idOf(response)).not.toBe('chosen-by-the-client');
    const hits = async () =>
      (await metricOf(parts().gateway, 'gateway_answers_total', { source: 'hit' })) ?? 0;
    // From the second response on the gateway knows the epoch of Redis. The first of two renews what has become old meanwhile.
    const sendKnown = () =>
      expectEventually(
        async () => {
          await send();
          const before = await hits();
          const sent = await send();
          expect(await hits()).toBe(before + 1);
          return sent;
        },
        { withinMs: 5_000 },
      );
    await expectLines(sendKnown, { gateway: ['request'], business: ['request'] });
  });

  test('for an order', async () => {
    const { keyString: key } = await platform.createKey();
    await platform.request(0, 'GET', '/v2/order', { key });
    await expectLines(() => platform.request(0, 'POST', '/v2/order', { key, body: order }), {
      gateway: ['request'],
      identity: ['rpc Authorize'],
      business: ['request'],
    });
  });

  test('for a token request', async () => {
    const { refreshToken } = await connect(platform, owner.browser, application);
    const refresh = async () => (await oauthClient(platform, application).refresh(refreshToken)).response;
    await expectLines(refresh, { gateway: ['request'], identity: ['request'] });
  });

  test('for a page for which identity-service calls business-service', async () => {
    await expectLines(() => owner.browser.send('GET', '/dashboard-api/session'), {
      gateway: ['request'],
      identity: ['request'],
      business: ['rpc GetBusiness'],
    });
  });

  test('for work that continues after the response', async () => {
    await owner.browser.open('/password/forgot');
    const { email } = owner;
    await expectLines(() => owner.browser.submit('/password/forgot', { email }), {
      gateway: ['request'],
      identity: ['mail written', 'request'],
    });
  });
});

describe('log lines about an error contain the request ID', () => {
  test('in identity-service', async () => {
    const { refreshToken } = await connect(platform, owner.browser, application);
    mend = await failWrites(platform.databases.identity, 'access_tokens', '22012');
    const refresh = async () => (await oauthClient(platform, application).refresh(refreshToken)).response;
    const { status } = await expectLines(refresh, {
      gateway: ['request'],
      identity: ['request', 'request failed'],
    });
    expect(status).toBe(500);
  });

  test('in business-service', async () => {
    const { keyString: key } = await platform.createKey();
    await platform.request(0, 'GET', '/v2/order', { key });
    mend = await failWrites(platform.databases.business, 'orders', '53100');
    const { status } = await expectLines(
      () => platform.request(0, 'POST', '/v2/order', { key, body: order }),
      {
        gateway: ['request'],
        identity: ['rpc Authorize'],
        business: ['request', 'request failed'],
      },
    );
    expect(status).toBe(503);
  });

  test('in an rpc', async () => {
    mend = await failWrites(platform.databases.identity, 'api_keys', '53100');
    const { identity } = parts();
    const before = logLines(identity).length;
    const keys = connectCanaryKeys(platform.targets.identity, platform.businessId);
    await expect(keys.takeKey('canary')).rejects.toMatchObject({ kind: 'unavailable' });
    keys.disconnect();
    await expectEventually(
      () => {
        const rpcs = logLines(identity).slice(before);
        expect(rpcs).toContainEqual(expect.objectContaining({ msg: 'rpc', method: 'TakeKey' }));
        expect(rpcs.filter(({ requestId }) => requestId === undefined)).toEqual([]);
      },
      { withinMs: 3_000 },
    );
  });
});

test('an Authorize call that several requests share carries the request ID of one of them', async () => {
  const { keyString: key } = await platform.createKey();
  const { identity } = parts();
  const before = logLines(identity).length;
  const responses = await Promise.all(Array.from({ length: 20 }, () => platform.me(key)));
  const ids = responses.map(idOf);
  expect(new Set(ids).size).toBe(ids.length);
  await expectEventually(
    () => {
      const asked = logLines(identity)
        .slice(before)
        .filter(({ method }) => method === 'Authorize');
      expect(asked.length).toBeGreaterThan(0);
      expect(asked.length).toBeLessThanOrEqual(ids.length);
      for (const { requestId } of asked) expect(ids).toContain(requestId);
    },
    { withinMs: 3_000 },
  );
});

describe('a request ID is accepted', () => {
  const direct = (service: TestService, headers: Record<string, string>, path: string) =>
    request(service.ports.http ?? 0, 'GET', path, { headers: { 'X-Request-Id': 'sent-0.1_2', ...headers } });

  test('by identity-service from the gateway alone', async () => {
    const { identity } = parts();
    const secret = { 'X-Gateway-Secret': platform.secrets.gatewaySecret };
    expect(idOf(await direct(identity, secret, '/login'))).toBe('sent-0.1_2');
    expect((await direct(identity, { 'X-Request-Id': 'forged' }, '/login')).headers['x-request-id']).toBe(
      undefined,
    );
    await direct(identity, { ...secret, 'X-Request-Id': 'after' }, '/login');
    await expectEventually(() => expect(linesOf(identity, 'after')).toEqual(['request']), {
      withinMs: 3_000,
    });
    expect(linesOf(identity, 'forged')).toEqual([]);
  });

  const nonsense = ['two words', 'x'.repeat(129), 'a;b', 'é', ''];

  test.each(nonsense)(
    'by identity-service only in a format that is safe to log, which is not %j',
    async (sent) => {
      const headers = { 'X-Gateway-Secret': platform.secrets.gatewaySecret, 'X-Request-Id': sent };
      expect(idOf(await direct(parts().identity, headers, '/login'))).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test('by business-service with a passport alone', async () => {
    const business = await startBusinessPlatform();
    const send = (headers: Record<string, string>) => business.call('GET', '/businesses/me', { headers });
    expect(idOf(await send({ 'X-Request-Id': 'sent-0.1_2' }))).toBe('sent-0.1_2');
    const strangers = await send({ 'X-Request-Id': 'forged', 'X-Passport': 'nonsense' });
    expect([strangers.status, idOf(strangers)]).toEqual([401, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    for (const sent of nonsense) {
      expect(idOf(await send({ 'X-Request-Id': sent }))).toMatch(/^[0-9a-f-]{36}$/);
    }
    // Idle connections of this test need no grace.
    await Promise.all(business.services.map((service) => service.kill()));
    await business.close();
  });

  test('in gRPC metadata only in a format that is safe to log', async () => {
    const { identity } = parts();
    const target = platform.targets.identity;
    const { rpc, close } = createGrpcClient(originService, { target, tls: { kind: 'plain' } });
    const ask = (requestId: string) =>
      rpc.ListAllowedOrigins({ knownVersion: '' }, { deadlineMs: 30_000, requestId });
    await ask('two words');
    await ask('one-word');
    close();
    await expectEventually(() => expect(linesOf(identity, 'one-word')).toEqual(['rpc ListAllowedOrigins']), {
      withinMs: 3_000,
    });
    expect(linesOf(identity, 'two words')).toEqual([]);
  });
});

test('the gateway logs with the request ID that identity-service did not respond', async () => {
  const { keyString: key } = await platform.createKey();
  const { gateway, identity } = parts();
  await identity.kill();
  const response = await platform.request(0, 'GET', '/v2/order', { key });
  expect(response.status).toBe(503);
  await expectEventually(
    () => {
      expect(linesOf(gateway, idOf(response)).sort()).toEqual([
        'identity-service did not respond',
        'request',
      ]);
    },
    { withinMs: 3_000 },
  );
});
