import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { loadFor } from '../harness/load.ts';
import { startPlatform } from '../harness/platform.ts';
import { createDatabase, query, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { type RecordingUpstream, recordingUpstream } from '../harness/recording-upstream.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';
import { spawnService } from '../harness/service.ts';
import { startTcpProxy } from '../harness/tcp-proxy.ts';

const close = { Connection: 'close' };

describe('PostgreSQL', () => {
  test('every test file gets a database of its own', async () => {
    const [one, two] = await Promise.all([createDatabase(), createDatabase()]);
    await query(one, 'CREATE TABLE mine (id int)');
    await expect(query(two, 'SELECT * FROM mine')).rejects.toThrow('does not exist');
  });

  describe('with a server of its own', () => {
    let postgres: TestPostgres;
    beforeAll(async () => {
      postgres = await startPostgres();
    });
    afterAll(() => postgres.close());

    test('data outlives a stop and a kill, on the same port', async () => {
      const url = await postgres.createDatabase();
      await query(url, 'CREATE TABLE kept (id int)');
      await postgres.stop();
      await expect(query(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
      await postgres.start();
      await postgres.kill();
      await postgres.start();
      expect(await query(url, 'SELECT * FROM kept')).toEqual([]);
    });

    test('a frozen server does not respond until it is thawed', async () => {
      const url = await postgres.createDatabase();
      postgres.freeze();
      const response = query(url, 'SELECT 1 AS one');
      const silence = new Promise((resolve) => setTimeout(resolve, 300, 'silence'));
      await expect(Promise.race([response, silence])).resolves.toBe('silence');
      postgres.thaw();
      expect(await response).toEqual([{ one: 1 }]);
    });
  });
});

describe('Redis', () => {
  let redis: TestRedis;
  let client: Redis;
  beforeAll(async () => {
    redis = await startRedis();
    client = new Redis(redis.url, { commandTimeout: 200, maxRetriesPerRequest: 0 });
    client.on('error', () => undefined);
  });
  afterAll(async () => {
    client.disconnect();
    await redis.close();
  });

  test('a flush removes all data, and the next start restores a saved snapshot', async () => {
    await redis.command('SET', 'a', '1');
    await redis.save();
    await redis.flush();
    expect(await redis.command('GET', 'a')).toBeNull();
    await redis.stop();
    await redis.start();
    expect(await redis.command('GET', 'a')).toBe('1');
  });

  test('a frozen server times out and responds again when thawed', async () => {
    await expectEventually(() => client.ping(), { withinMs: 5_000 });
    redis.freeze();
    await expect(client.ping()).rejects.toThrow('timed out');
    redis.thaw();
    await expect(expectEventually(() => client.ping(), { withinMs: 5_000 })).resolves.toBe('PONG');
  });
});

describe('HTTP', () => {
  let upstream: RecordingUpstream;
  beforeAll(async () => {
    upstream = await recordingUpstream();
  });
  afterAll(() => upstream.close());

  test('the upstream records a raw request byte for byte', async () => {
    upstream.clear();
    const response = await rawRequest(
      upstream.port,
      'POST /a/../b HTTP/1.1\r\nHost: x\r\nX-Two: 1\r\nx-two: 2\r\nContent-Length: 2\r\n\r\nhi',
      { quietMs: 100 },
    );
    expect(response.statuses).toEqual([200]);
    expect(response.closed).toBe(false);
    expect(upstream.requests).toHaveLength(1);
    const [recorded] = upstream.requests;
    expect(recorded).toMatchObject({ method: 'POST', target: '/a/../b', httpVersion: '1.1' });
    expect(recorded?.values('x-two')).toEqual(['1', '2']);
    expect(recorded?.body.toString()).toBe('hi');
  });

  test('a raw connection reports when the server closes it', async () => {
    const response = await rawRequest(upstream.port, 'nonsense\r\n\r\n');
    expect(response.statuses).toEqual([400]);
    expect(response.closed).toBe(true);
  });

  test('a request carries key, headers and JSON body', async () => {
    upstream.clear();
    const response = await request(upstream.port, 'POST', '/x', {
      key: 'k',
      headers: { 'X-A': 'b' },
      body: { c: 1 },
    });
    expect(response.status).toBe(200);
    expect(response.json()).toEqual({ ok: true });
    const [recorded] = upstream.requests;
    expect(recorded?.values('authorization')).toEqual(['Bearer k']);
    expect(recorded?.values('x-a')).toEqual(['b']);
    expect(recorded?.body.toString()).toBe('{"c":1}');
  });

  test('load keeps its rate and goes around a replica that refuses connections', async () => {
    const gone = await freePort();
    const startedAt = performance.now();
    const report = await loadFor(1_000, { ports: [gone, upstream.port], rate: 100, path: '/' });
    const due = (performance.now() - startedAt) / 10;
    expect(report.failures(200)).toEqual([]);
    expect(report.records.length).toBeGreaterThan(50);
    expect(report.records.length).toBeLessThanOrEqual(due);
    expect(report.successesStartedAfter(performance.now())).toEqual([]);
    expect(report.latency(0.99)).toBeGreaterThanOrEqual(report.latency(0.5));
  });
});

test('a proxy closes, also when the server has reset one of its connections', async () => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => accepted.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = await startTcpProxy((server.address() as AddressInfo).port);
  const client = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  client.write('x');
  await expectEventually(() => expect(accepted).toHaveLength(1), { withinMs: 2_000 });
  accepted[0]?.resetAndDestroy();
  // The proxy knows it before it forwards a later connection.
  const later = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
  await expectEventually(() => expect(accepted).toHaveLength(2), { withinMs: 2_000 });
  await proxy.close();
  client.destroy();
  later.destroy();
  server.close();
});

describe('platform', () => {
  test('runs with replicas, and every replica serves keys that any replica made', async () => {
    const platform = await startPlatform({ gateways: 2, identities: 2 });
    try {
      const key = await platform.createKey({ type: 'restricted', scopes: ['business:read'] });
      for (const gateway of [0, 1]) {
        const response = await platform.me(key.keyString, gateway);
        expect(response.status).toBe(200);
        expect(response.json()).toMatchObject({ id: platform.businessId });
      }
      expect(await platform.deleteKey(key)).toBe('confirmed');
      const after = await platform.me(key.keyString);
      expect(after.status).toBe(401);
    } finally {
      await platform.close();
    }
  });

  test('a service keeps its ports over a restart, and a stop ends it with 0', async () => {
    const platform = await startPlatform();
    try {
      const key = await platform.createKey();
      const ask = () => platform.request(0, 'GET', '/v2/order', { key: key.keyString, headers: close });
      expect((await ask()).status).toBe(200);
      const [gateway] = platform.gateways;
      expect(await gateway?.stop()).toEqual({ code: 0, signal: null });
      await expect(ask()).rejects.toThrow('ECONNREFUSED');
      await gateway?.start();
      expect((await ask()).status).toBe(200);
    } finally {
      await platform.close();
    }
  });

  test('a service that does not start shows the end of its log', async () => {
    const wrong = spawnService('identity-service', { LOG_LEVEL: 'loud' });
    await expect(wrong).rejects.toThrow(/identity-service ended while starting:.*LOG_LEVEL/s);
  });
});
