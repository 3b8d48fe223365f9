import { describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import type { TestKey } from '../harness/api-keys.ts';
import { errorBodies, errorResponse, help, rateLimit } from '../harness/error-responses.ts';
import { startLoad } from '../harness/load.ts';
import { authorizationsOf } from '../harness/metrics.ts';
import { comparableResponse } from '../harness/raw-responses.ts';
import { unissued } from '../harness/refused-bearers.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * Promise: requests with invalid credentials take nothing from those with valid ones. Of two gateways one refuses after
 * a few of them, as in production, and one does not, to show the effect of the other means.
 */

const path = '/v2/businesses/me';
const [strict, lenient] = [0, 1];
const perMinute = 20;
const rateLimitHeaders = ['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'x-ratelimit-remaining'];

const platform = running(() =>
  sharedBehind({
    gateways: 2,
    gatewayEnv: (index) => ({
      TRUSTED_PROXIES: '127.0.0.1',
      ...(index === strict && { UNKNOWN_CREDENTIALS_PER_MINUTE: String(perMinute) }),
    }),
  }),
);

/** One request of a client at an address. */
const ask = (gateway: number, address: string, key: string) =>
  platform.request(gateway, 'GET', path, { key, headers: { 'X-Forwarded-For': address } });

const statusesOf = async (count: number, gateway: number, address: () => string, key: () => string) => {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await ask(gateway, address(), key())).status);
  return statuses;
};
const times = (count: number, status: number): number[] => Array(count).fill(status);
const authorizations = async () =>
  (await Promise.all(platform.identities.map(authorizationsOf))).reduce((sum, count) => sum + count, 0);
const newKeys = (count: number) => Promise.all(Array.from({ length: count }, () => platform.createKey()));

let lastAddress = 0;
const newAddress = () => {
  lastAddress++;
  return `198.18.${lastAddress >> 8}.${lastAddress & 255}`;
};

describe('an address that sends unknown credentials', () => {
  test.each([
    ['that are nonsense', () => 'nonsense'],
    ['of the right form with an invalid tag', () => createCheckedToken('sk')],
    ['that look genuine', () => unissued(platform, 'at')],
  ])('%s: gets 401 up to the limit, and then 429 without headers of the rolling hour', async (_, key) => {
    const address = newAddress();
    const startedAt = performance.now();
    expect(await statusesOf(perMinute, strict, () => address, key)).toEqual(times(perMinute, 401));
    let limited = await ask(strict, address, key());
    let more = 0;
    for (; limited.status === 401 && more < perMinute; more++) limited = await ask(strict, address, key());
    // One more for each part of the minute that has passed meanwhile.
    const passed = (performance.now() - startedAt) / 60_000;
    expect(more).toBeLessThanOrEqual(perMinute * passed);
    expect(comparableResponse(limited)).toEqual(
      errorResponse(429, errorBodies.rateLimited, {
        'Retry-After': expect.stringMatching(/^[1-3]$/),
        ...help(errorBodies.rateLimited),
      }),
    );
    const [key1] = await newKeys(1);
    expect((await ask(strict, address, key1?.keyString ?? '')).status).toBe(200);
    expect(await statusesOf(1, strict, newAddress, key)).toEqual([401]);
  });

  test('counts as a /64 network with IPv6', async () => {
    let host = 0;
    const address = () => `2001:db8:0:1::${(++host).toString(16)}`;
    const statuses = await statusesOf(perMinute + 5, strict, address, () => 'nonsense');
    expect(statuses.slice(0, perMinute)).toEqual(times(perMinute, 401));
    expect(statuses).toContain(429);
    expect((await ask(strict, '2001:db8:0:2::1', 'nonsense')).status).toBe(401);
  });

  test('is not limited for requests without a credential', async () => {
    const headers = { 'X-Forwarded-For': newAddress() };
    for (let i = 0; i < 2 * perMinute; i++) {
      expect((await platform.request(strict, 'GET', path, { headers })).status).toBe(401);
    }
  });
});

describe('during a flood', () => {
  /** Requests with a different credential each, many times as many as those with a valid one, until `during` is done. */
  const flood = async (gateway: number, addresses: number, during: () => Promise<void>) => {
    let sent = 0;
    const bearers = Array.from({ length: 500 }, () => createCheckedToken('sk'));
    const loads = Array.from({ length: addresses }, () =>
      startLoad({
        ports: [platform.gatewayPorts[gateway] ?? 0],
        rate: 400 / addresses,
        // Together fewer than from which a gateway that is short of CPU refuses some.
        maxInFlight: 60 / addresses,
        path,
        key: () => bearers[sent++ % bearers.length] ?? '',
        headers: { 'X-Forwarded-For': newAddress() },
      }),
    );
    await during();
    const reports = await Promise.all(loads.map((load) => load.stop()));
    return reports.flatMap(({ records }) => records.map(({ status }) => status));
  };

  test.each([
    ['from one address', strict, 1],
    ['from many', strict, 20],
    ['that nothing limits', lenient, 1],
  ])('of random keys %s: 20 of 20 cold keys pass, and no random one is looked up', async (_, gateway, n) => {
    const keys = await newKeys(20);
    const before = await authorizations();
    const refused = await flood(gateway, n, async () => {
      for (const { keyString } of keys) {
        expect((await ask(gateway, newAddress(), keyString)).status).toBe(200);
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    });
    expect(refused.length).toBeGreaterThan(keys.length);
    expect(refused.filter((status) => status !== 401 && status !== 429)).toEqual([]);
    expect((await authorizations()) - before).toBeLessThanOrEqual(2 * keys.length);
  });

  test('of deleted keys each is looked up once, and a new key works on every gateway', async () => {
    const over = await newKeys(5);
    for (const key of over) await platform.deleteKey(key);
    const before = await authorizations();
    for (const { keyString } of over) {
      expect(await statusesOf(20, lenient, newAddress, () => keyString)).toEqual(times(20, 401));
    }
    // A slow look-up is hedged.
    expect((await authorizations()) - before).toBeLessThanOrEqual(2 * over.length);
    const made: TestKey = await platform.createKey();
    const rotated = await platform.rotateKey(await platform.createKey());
    for (const gateway of [strict, lenient]) {
      for (const { keyString } of [made, rotated]) {
        expect((await ask(gateway, newAddress(), keyString)).status).toBe(200);
      }
    }
  });
});

describe('a valid credential without the scope', () => {
  const narrowKey = async (limit: number) => {
    const key = await platform.createKey({ type: 'restricted', scopes: ['orders:read'] });
    await platform.setKeyLimit(key, limit);
    return key;
  };

  test('has its 403 responses counted, and gets 429 at the limit', async () => {
    const { keyString } = await narrowKey(3);
    const responses = [];
    for (let i = 0; i < 4; i++) responses.push(await ask(i % 2, newAddress(), keyString));
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 429]);
    expect(comparableResponse(responses[0] ?? (await ask(strict, '', keyString))).headers).toMatchObject(
      rateLimit(3, 2),
    );
    expect(responses.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['2', '1', '0', '0']);
    expect((await platform.request(strict, 'GET', '/v2/order', { key: keyString })).status).toBe(429);
  });

  test('is admitted at once when it gets the scope, on every gateway', async () => {
    const key = await narrowKey(1_000);
    for (const gateway of [strict, lenient, strict, lenient]) {
      expect((await ask(gateway, newAddress(), key.keyString)).status).toBe(403);
    }
    await platform.updateKey(key, { scopes: ['business:read', 'orders:read'] });
    for (const gateway of [strict, lenient]) {
      expect((await ask(gateway, newAddress(), key.keyString)).status).toBe(200);
    }
  });
});

test('a 401 never counts toward the limit', async () => {
  const [key] = await newKeys(1);
  if (key === undefined) throw new Error('There is no key.');
  const { keyString } = await platform.rotateKey(key);
  for (let i = 0; i < 5; i++) {
    const response = await ask(lenient, newAddress(), key.keyString);
    expect(response.status).toBe(401);
    for (const name of rateLimitHeaders) expect(response.headers).not.toHaveProperty(name);
  }
  expect((await ask(lenient, newAddress(), keyString)).headers['x-ratelimit-remaining']).toBe('9999');
});
