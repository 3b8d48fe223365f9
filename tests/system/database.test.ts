import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '@platform/service-kit/database.ts';
import { createLogger } from '@platform/service-kit/logger.ts';
import { createRegistry } from '@platform/service-kit/metrics.ts';
import { inRequest } from '@platform/service-kit/request-context.ts';
import { eventually } from '../harness/eventually.ts';
import { createDatabase, query } from '../harness/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts';

let databaseUrl: string;
let proxy: TcpProxy;
let database: Database;
let adapter: Awaited<ReturnType<Database['adapter']['connect']>>;
beforeAll(async () => {
  databaseUrl = await createDatabase();
  await query(databaseUrl, 'CREATE TABLE notes (text text)');
  const url = new URL(databaseUrl);
  proxy = await startTcpProxy(Number(url.port));
  url.port = `${proxy.port}`;
  const logger = createLogger({ service: 'test', level: 'silent' });
  const registry = createRegistry('test');
  database = openDatabase({ url: url.href, applicationName: 'test', logger, registry, maxConnections: 1 });
  adapter = await database.adapter.connect();
});
afterAll(async () => {
  await database.close();
  await proxy.close();
});

const statement = (sql: string) => ({ sql, args: [], argTypes: [] });

test('what a transaction wrote before its ROLLBACK was lost is never committed by the next one', async () => {
  const lost = await adapter.startTransaction();
  await lost.executeRaw(statement("INSERT INTO notes VALUES ('lost')"));
  proxy.silence();
  await expect(lost.executeRaw(statement('SELECT 1'))).rejects.toThrow();
  await expect(lost.executeRaw(statement('ROLLBACK'))).rejects.toThrow();
  await lost.rollback();
  proxy.resume();
  const next = await adapter.startTransaction();
  await next.executeRaw(statement("INSERT INTO notes VALUES ('next')"));
  await next.executeRaw(statement('COMMIT'));
  await next.commit();
  expect(await query(databaseUrl, 'SELECT text FROM notes')).toEqual([{ text: 'next' }]);
}, 30_000);

/** Takes the one connection until the promise resolves. */
const holdConnection = async (seconds: number) => {
  const transaction = await adapter.startTransaction();
  await transaction.executeRaw(statement(`SELECT pg_sleep(${seconds})`));
  await transaction.executeRaw(statement('ROLLBACK'));
  await transaction.rollback();
};
const ask = () => database.run(() => adapter.queryRaw(statement('SELECT 1')));
const refusal = { kind: 'unavailable', cause: { name: 'PoolExhausted' } };

test('the steps of one request wait for a connection no longer than one step may', async () => {
  const held = holdConnection(1.8);
  await inRequest('a-request', async () => {
    await expect(ask()).rejects.toMatchObject(refusal);
    const startedAt = performance.now();
    await expect(ask()).rejects.toMatchObject(refusal);
    await expect(Promise.all([ask(), ask()])).rejects.toMatchObject(refusal);
    // Waiting anew would take 1,600.
    expect(performance.now() - startedAt).toBeLessThan(700);
  });
  await held;
  await inRequest('another-request', () => Promise.all([ask(), ask(), ask()]));
});

test('a queue has an end: what comes behind it is refused at once, what stands in it has its turn', async () => {
  const held = holdConnection(0.5);
  let refused = 0;
  const settled: Promise<string>[] = [];
  for (let i = 0; i < 80; i++) {
    settled.push(
      ask().then(
        () => 'answered',
        () => `refused ${++refused}`,
      ),
    );
  }
  await eventually(() => expect(refused).toBe(16), { withinMs: 400, everyMs: 1 });
  await held;
  expect((await Promise.all(settled)).filter((end) => end === 'answered')).toHaveLength(64);
});
