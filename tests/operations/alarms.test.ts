import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { startPlatform } from '../harness/platform.ts';
import { query } from '../harness/postgres.ts';
import { startPrometheus } from '../harness/prometheus.ts';
import { running } from '../harness/running.ts';

/* The rules and dashboards in a real Prometheus, on the metrics of a real platform. */

const platform = running(() => startPlatform({ webhooks: 1 }));
const prometheus = running(() => startPrometheus(platform));
let key: string;
beforeAll(async () => {
  ({ keyString: key } = await platform.createKey());
});

const me = () => platform.me(key);

/** Labels of the alarms of a name that fire. */
const firing = async (name: string) =>
  (await prometheus.alarms()).flatMap(({ state, labels }) =>
    state === 'firing' && labels.alertname === name ? [labels] : [],
  );
const fires = (name: string, labels: object) =>
  expectEventually(async () => expect(await firing(name)).toEqual([expect.objectContaining(labels)]), {
    withinMs: 20_000,
  });
const ends = (name: string) =>
  expectEventually(async () => expect(await firing(name)).toEqual([]), { withinMs: 20_000 });

test('every rule is evaluated without an error', async () => {
  await expectEventually(
    async () => {
      const rules = await prometheus.rules();
      expect(rules.length).toBeGreaterThan(30);
      expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
      expect(await prometheus.query('count(up == 1)')).toEqual([
        expect.objectContaining({ value: [expect.any(Number), '4'] }),
      ]);
    },
    { withinMs: 20_000 },
  );
  // Before the first scrape every service is gone.
  for (const name of ['ServiceGone', 'ReplicaDown', 'GatewayWithoutRedis', 'DependencyDown'])
    await ends(name);
});

test('graphs of requests have lines by route, status and upstream', async () => {
  const folder = new URL('../../deploy/observability/dashboards/', import.meta.url);
  const texts = readdirSync(folder).map((file) => readFileSync(new URL(file, folder), 'utf8'));
  const panels: { title: string; targets: { expr: string }[] }[] = texts.flatMap(
    (text) => JSON.parse(text).panels,
  );
  const linesOf = async (title: string) => {
    const targets = panels.find((panel) => panel.title === title)?.targets ?? [];
    const results = await Promise.all(
      targets.map(({ expr }) => prometheus.query(expr.replaceAll('$__rate_interval', '1m'))),
    );
    return results.flat().map(({ metric }) => metric);
  };
  await expectEventually(
    async () => {
      await me();
      expect(await linesOf('Requests by route')).toContainEqual({ route: '/v2/businesses/me' });
      expect(await linesOf('Requests by upstream')).toContainEqual({ upstream: 'business' });
      expect(await linesOf('p99 by route')).toContainEqual({ route: '/v2/businesses/me' });
      expect((await linesOf('Tables')).length).toBeGreaterThan(0);
    },
    { withinMs: 20_000, everyMs: 500 },
  );
});

test('every query in the sections about alarms can be run', async () => {
  const pages = new URL('../../docs/operations/', import.meta.url);
  const names = readdirSync(pages, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const page = names.map((name) => readFileSync(new URL(name, pages), 'utf8')).join('\n');
  const questions = [...page.matchAll(/\bask '([^']+)'/g)].map(([, question = '']) => question);
  expect(questions.length).toBeGreaterThan(10);
  for (const question of questions) await prometheus.query(question);
  const statements = [...page.matchAll(/^sql (identity|webhook) "([^"]+)"$/gm)];
  expect(statements.length).toBeGreaterThan(2);
  for (const [, database, statement = ''] of statements) {
    const { identity, webhook = '' } = platform.databases;
    await query(database === 'identity' ? identity : webhook, statement);
  }
});

test('a lost Redis raises an alarm, which ends when Redis is back', async () => {
  await platform.redis?.stop();
  await fires('GatewayWithoutRedis', { service: 'gateway', severity: 'page' });
  await platform.redis?.start();
  await ends('GatewayWithoutRedis');
});

test('a service that is down raises an alarm, which ends when the service is back', async () => {
  await platform.webhooks[0]?.kill();
  await fires('ServiceGone', { service: 'webhook-service' });
  expect(await firing('ReplicaDown')).toEqual([]);
  await platform.webhooks[0]?.start();
  await ends('ServiceGone');
});

test('a cut connection between two services raises an alarm', async () => {
  // business-service is there; webhook-service alone gets no response.
  await platform.webhooks[0]?.kill();
  await platform.webhooks[0]?.start({ BUSINESS_GRPC_TARGET: 'ipv4:127.0.0.1:9' });
  const labels = { service: 'webhook-service', method: 'ListHeads', severity: 'ticket' };
  await expectEventually(
    async () => expect(await firing('ServiceUnreachable')).toContainEqual(expect.objectContaining(labels)),
    { withinMs: 60_000 },
  );
});

test('the consequences of a service that is down raise no alarms of their own', async () => {
  await platform.businesses[0]?.kill();
  await fires('ServiceGone', { service: 'business-service' });
  await ends('ServiceUnreachable');
  await platform.businesses[0]?.start();
});
