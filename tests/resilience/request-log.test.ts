import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { usageService } from '@platform/protos/identity';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { startClickHouse } from '../harness/clickhouse.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { knownBusiness, startIdentityPlatform } from '../harness/identity-platform.ts';
import { metricOf } from '../harness/metrics.ts';
import { call } from '../harness/patience.ts';
import { running } from '../harness/running.ts';
import type { TestService } from '../harness/service.ts';

/*
 * Promise: whatever becomes of the ClickHouse of the log, every request is in the log or counted as not listed, and nothing
 * else changes.
 */

const clickHouse = running(startClickHouse);
const platform = running(startIdentityPlatform);

/** Of one report. */
const batchSize = 1_000;
/** Reports that a replica holds in memory, and two more. */
const tooMany = 52;

/** A replica with the log in a new database of ClickHouse. */
async function startReplica(url: string) {
  const service = await platform.addReplica({ REQUEST_LOG_URL: url });
  const target = `ipv4:127.0.0.1:${service.ports.grpc}`;
  const { rpc, close } = createGrpcClient(usageService, { target, tls: { kind: 'plain' } });
  const businessId = knownBusiness;
  const send = async (path: string, batches: number) => {
    for (let sent = 0; sent < batches; sent++) {
      const record = () => ({
        ...{ requestId: randomUUID(), atUnixMs: Date.now(), businessId, method: 'GET', path },
        ...{ route: 'none', status: 200, upstreamMs: -1, clientIp: '::1' },
      });
      const records = Array.from({ length: batchSize }, record);
      await rpc.RecordRequests({ batchId: randomUUID(), records }, call);
    }
  };
  return { service, send, close };
}

const listed = async (url: string, path: string) => {
  const counted = `SELECT toUInt32(uniqExact(id)) AS n FROM request_log WHERE path = '${path}'`;
  const [row] = await clickHouse.query<{ n: number }>(url, counted);
  return row?.n ?? 0;
};

const unlisted = async () => {
  const [row] = await platform.sql<{ n: number }>(
    'SELECT coalesce(sum(unlisted), 0)::int AS n FROM request_log_minutes WHERE business_id = $1',
    [knownBusiness],
  );
  return row?.n ?? 0;
};

const isReady = async ({ ports }: TestService) =>
  (await request(ports.ops ?? 0, 'GET', '/readyz')).status === 200;

const outages = {
  'is killed': {
    begin: () => clickHouse.kill(),
    end: () => clickHouse.start(),
  },
  'falls silent': {
    begin: () => clickHouse.freeze(),
    end: () => clickHouse.thaw(),
  },
  'refuses everything': {
    begin: (url: string) => clickHouse.query(url, `DROP DATABASE ${new URL(url).pathname.slice(1)}`),
    end: (url: string) =>
      clickHouse.query(`${new URL('/default', url)}`, `CREATE DATABASE ${new URL(url).pathname.slice(1)}`),
  },
};

describe('the log if ClickHouse', () => {
  test.each(Object.keys(outages) as (keyof typeof outages)[])('%s under load', async (name) => {
    const { begin, end } = outages[name];
    const path = `/${name.replaceAll(' ', '-')}`;
    const before = await unlisted();
    const url = await clickHouse.createDatabase();
    const { service, send, close } = await startReplica(url);
    const key = await platform.createKey();
    await send('/earlier', 1);
    await expectEventually(async () => expect(await listed(url, '/earlier')).toBe(batchSize), {
      withinMs: 10_000,
    });

    await begin(url);
    await send(path, tooMany);
    expect(await isReady(service)).toBe(true);
    expect((await platform.authorize(key.keyString)).outcome).toBe('OUTCOME_ALLOWED');
    const missing = () => metricOf(service, 'identity_request_log_dropped_total');
    await expectEventually(async () => expect(before + ((await missing()) ?? 0)).toBe(await unlisted()), {
      withinMs: 10_000,
    });
    expect(await missing()).toBeGreaterThan(0);

    await end(url);
    await expectEventually(
      async () => expect((await listed(url, path)) + ((await missing()) ?? 0)).toBe(tooMany * batchSize),
      { withinMs: 30_000 },
    );
    expect(await unlisted()).toBe(before + ((await missing()) ?? 0));
    close();
    await service.stop();
  });

  test('is away when the service starts, which makes the tables later', async () => {
    const url = await clickHouse.createDatabase();
    await clickHouse.kill();
    const { service, send, close } = await startReplica(url);
    expect(await isReady(service)).toBe(true);
    await send('/early', 1);
    await clickHouse.start();
    await expectEventually(async () => expect(await listed(url, '/early')).toBe(batchSize), {
      withinMs: 10_000,
    });
    close();
    await service.stop();
  });
});

test('a service that ends writes what waits, and counts what ClickHouse does not take', async () => {
  const url = await clickHouse.createDatabase();
  const before = await unlisted();
  const [first, second] = [await startReplica(url), await startReplica(url)];
  await first.send('/last', 2);
  await first.service.stop();
  expect(await listed(url, '/last')).toBe(2 * batchSize);
  await clickHouse.kill();
  await second.send('/lost', 2);
  await second.service.stop();
  expect(await unlisted()).toBe(before + 2 * batchSize);
  for (const { close } of [first, second]) close();
  await clickHouse.start();
});
