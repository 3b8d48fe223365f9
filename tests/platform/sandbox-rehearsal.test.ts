import { beforeAll, describe, expect, test } from '@jest/globals';
import { orderBody } from '../harness/business-platform.ts';
import { errorBodies } from '../harness/error-responses.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { logLines } from '../harness/log-lines.ts';
import { metricsOf } from '../harness/metrics.ts';
import { oauthClient } from '../harness/oauth.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** `Prefer: simulate=…` in a sandbox. */

const platform = running(sharedPlatform);

let businessId: number;
let key: string;
beforeAll(async () => {
  businessId = await makeSandbox();
  ({ keyString: key } = await platform.createKey({ businessId }));
});

async function makeSandbox(): Promise<number> {
  const id = await platform.createVerifiedBusiness('trial');
  await platform.sql('INSERT INTO sandboxes (business_id, person_id) VALUES ($1, $2)', [id, 'per_trial']);
  return id;
}

const get = (keyString: string, prefer?: string, path = '/v2/order') =>
  platform.request(0, 'GET', path, { key: keyString, headers: { ...(prefer && { Prefer: prefer }) } });

const simulate = (name: string) => get(key, `simulate=${name}`);

/** Headers that differ from one response to the next. */
const ofTheMoment =
  /^(date|x-request-id|x-ratelimit-(remaining|reset)|ratelimit|retry-after|preference-applied)$/;

function comparable({ status, text, headers }: HttpResponse) {
  return {
    status,
    text,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ofTheMoment.test(name))),
  };
}

/** Causes the errors for real, in a sandbox of its own each time. */
const causes: Readonly<Record<string, () => Promise<HttpResponse>>> = {
  'expired-key': async () => {
    const { id, keyString } = await platform.createKey({
      businessId,
      expiresAt: new Date(Date.now() + 3_600_000),
    });
    await platform.sql(
      "UPDATE api_keys SET expires_at = clock_timestamp() - interval '1 second' WHERE id = $1",
      [id],
    );
    return get(keyString);
  },
  forbidden: async () => {
    const narrow = await platform.createKey({ businessId, type: 'restricted', scopes: ['business:read'] });
    return get(narrow.keyString);
  },
  frozen: async () => {
    const frozen = await makeSandbox();
    const { keyString } = await platform.createKey({ businessId: frozen });
    await platform.sql("INSERT INTO business_freezes (business_id, person_id, reason) VALUES ($1, '', '')", [
      frozen,
    ]);
    return get(keyString);
  },
  'rate-limited': async () => {
    const limited = await platform.createKey({ businessId });
    await platform.setKeyLimit(limited, 1);
    await get(limited.keyString);
    const response = await get(limited.keyString);
    // The limit of the key that simulates is another one.
    return {
      ...response,
      headers: {
        ...response.headers,
        'ratelimit-policy': '"hour";q=10000;w=3600',
        'x-ratelimit-limit': '10000',
      },
    };
  },
};

describe('a request that prefers an error gets it, marked, with what the real one has', () => {
  test.each(Object.keys(causes))('%s: the same status, body and headers', async (name) => {
    const [real, simulated] = [await causes[name]?.(), await simulate(name)];
    if (real === undefined) throw new Error('no cause');
    expect(simulated.headers['preference-applied']).toBe(`simulate=${name}`);
    expect(comparable(simulated)).toEqual(comparable(real));
  });

  test.each([
    ['invalid-key', 401, errorBodies.invalidKey],
    ['ip-not-allowed', 403, errorBodies.forbidden],
    ['suspended', 403, errorBodies.forbidden],
    ['upstream-timeout', 504, errorBodies.gatewayTimeout],
    ['upstream-error', 502, errorBodies.badGateway],
  ])('%s: %d with the body of the contract', async (name, status, text) => {
    const response = await simulate(name);
    expect([response.status, response.text, response.headers['preference-applied']]).toEqual([
      status,
      text,
      `simulate=${name}`,
    ]);
    expect('ratelimit' in response.headers).toBe(status !== 401);
  });

  test('rate-limited: no request is left, and Retry-After says when one is', async () => {
    const { headers } = await simulate('rate-limited');
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '10000', 'x-ratelimit-remaining': '0' });
    expect(headers['retry-after']).toBe(headers['x-ratelimit-reset']);
  });

  test('slow: the response comes five seconds later', async () => {
    const before = performance.now();
    const response = await simulate('slow');
    expect([response.status, response.headers['preference-applied']]).toEqual([200, 'simulate=slow']);
    expect(performance.now() - before).toBeGreaterThan(4_900);
  });
});

test('slow: a credential that ends during the pause is refused, and nothing is written', async () => {
  const doomed = await platform.createKey({ businessId });
  const options = { key: doomed.keyString, headers: { Prefer: 'simulate=slow' }, body: orderBody };
  const slow = platform.request(0, 'POST', '/v2/order', options);
  const limit = () => get(doomed.keyString, undefined, '/v2/rate-limit');
  await expectEventually(async () => expect((await limit()).json()).toMatchObject({ used: 1 }), {
    withinMs: 2_000,
  });
  await platform.deleteKey(doomed);
  const { status, text, headers } = await slow;
  expect([status, text, headers['preference-applied']]).toEqual([
    401,
    errorBodies.invalidKey,
    'simulate=slow',
  ]);
  expect((await get(key)).json()).toMatchObject({ data: [] });
});

test('a simulated POST changes nothing, and the next request on the connection is read correctly', async () => {
  const post = (headers: Record<string, string>) =>
    platform.request(0, 'POST', '/v2/order', { key, headers, body: orderBody });
  expect((await post({ Prefer: 'simulate=upstream-timeout' })).status).toBe(504);
  expect((await get(key)).json()).toEqual({ data: [], next_cursor: null });
  expect((await post({})).status).toBe(201);
});

test('other preferences, unknown cases, and any preference outside a sandbox are ignored', async () => {
  const { keyString: real } = await platform.createKey();
  for (const [used, prefer] of [
    [key, 'respond-async'],
    [key, 'simulate=other'],
    [key, 'simulate'],
    [key, 'simulate="forbidden'],
    [key, 'x="a, simulate=forbidden"'],
    [real, 'simulate=upstream-error'],
  ] as const) {
    const { status, headers } = await get(used, prefer);
    expect([status, headers['preference-applied']]).toEqual([200, undefined]);
  }
  for (const prefer of ['respond-async, simulate="forbidden"; x=1, wait=10', 'Simulate = FORBIDDEN']) {
    expect((await get(key, prefer)).status).toBe(403);
  }
});

test('a simulated error is in the log, marked, and in no metric and no list of failed requests', async () => {
  const errors = async () => {
    const texts = await Promise.all(platform.gateways.map(metricsOf));
    return texts.join('\n').match(/^gateway_\w+.*(status="504"|refusal="upstream_timeout").*$/gm) ?? [];
  };
  const before = await errors();
  const { headers } = await simulate('upstream-timeout');
  const id = String(headers['x-request-id']);
  const [gateway] = platform.gateways;
  if (gateway === undefined) throw new Error('no gateway');
  await expectEventually(
    () =>
      expect(logLines(gateway).filter(({ requestId }) => requestId === id)).toMatchObject([
        { status: 504, simulated: true },
      ]),
    { withinMs: 5_000 },
  );
  expect(await errors()).toEqual(before);
  // A later failure is recorded, so the simulated one would have been.
  const later = String((await get(key, undefined, '/v2/nowhere')).headers['x-request-id']);
  const recorded = (requestId: string) =>
    platform.sql('SELECT 1 FROM request_log WHERE id = $1', [requestId]);
  await expectEventually(async () => expect(await recorded(later)).toHaveLength(1), { withinMs: 10_000 });
  expect(await recorded(id)).toEqual([]);
});

test('a sandbox whose program only rehearses counts as used, without errors', async () => {
  const { id, keyString } = await platform.createKey({ businessId });
  await get(keyString, 'simulate=rate-limited');
  const counts = () =>
    platform.sql('SELECT count_2xx, count_4xx, count_429 FROM usage_hours WHERE limit_id = $1', [id]);
  const used = [{ count_2xx: '1', count_4xx: '0', count_429: '0' }];
  await expectEventually(async () => expect(await counts()).toEqual(used), { withinMs: 10_000 });
});

test('an application of a sandbox rehearses refusals of codes and refresh tokens, which stay valid', async () => {
  const application = await platform.createApplication({ businessId });
  const client = oauthClient(platform, application);
  const prefer = (name: string) => ({ Prefer: `simulate=${name}` });
  const exchange = { grant_type: 'authorization_code', code: 'ac_1', code_verifier: 'v'.repeat(43) };
  const real = await client.post('/v2/oauth/token', exchange);
  for (const name of ['expired-code', 'used-code']) {
    const { status, body, response } = await client.post('/v2/oauth/token', exchange, prefer(name));
    expect([status, body]).toEqual([real.status, real.body]);
    expect(response.headers['preference-applied']).toBe(`simulate=${name}`);
  }
  const refused = await client.refresh('rt_1');
  const reused = await client.refresh('rt_1', {}, prefer('reused-token'));
  expect([reused.status, reused.body]).toEqual([refused.status, refused.body]);
  const others = oauthClient(platform, await platform.createApplication({ businessId: platform.businessId }));
  const ignored = await others.post('/v2/oauth/token', exchange, prefer('expired-code'));
  expect(ignored.response.headers).not.toHaveProperty('preference-applied');
});
