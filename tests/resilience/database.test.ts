import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '@platform/service-kit/database/database.ts';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import { createRegistry } from '@platform/service-kit/telemetry/metrics.ts';
import { inRequest } from '@platform/service-kit/telemetry/request-context.ts';
import { createDatabase, query } from '../harness/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts';

interface Opened {
  readonly database: Database;
  readonly adapter: Awaited<ReturnType<Database['adapter']['connect']>>;
}

let databaseUrl: string;
let proxy: TcpProxy;
let proxied: string;
const opened: Opened[] = [];
beforeAll(async () => {
  databaseUrl = await createDatabase();
  await query(databaseUrl, 'CREATE TABLE notes (text text)');
  const url = new URL(databaseUrl);
  proxy = await startTcpProxy(Number(url.port));
  url.port = `${proxy.port}`;
  proxied = url.href;
});
afterAll(async () => {
  for (const { database } of opened) await database.close();
  await proxy.close();
});

/** A database of one connection, for which a request waits so many milliseconds. */
async function open(waitLimitMs: number, url = proxied): Promise<Opened> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const registry = createRegistry('test');
  const options = { url, applicationName: 'test', logger, registry, maxConnections: 1, waitLimitMs };
  const database = openDatabase(options);
  const one = { database, adapter: await database.adapter.connect() };
  opened.push(one);
  return one;
}

const statement = (sql: string) => ({ sql, args: [], argTypes: [] });

test('what a transaction wrote before its ROLLBACK was lost is never committed by the next one', async () => {
  const { adapter } = await open(800);
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
});

test('times are the same in PostgreSQL and in services, regardless of the time zone of the database', async () => {
  const zone = await createDatabase();
  await query(zone, `ALTER DATABASE "${new URL(zone).pathname.slice(1)}" SET timezone = 'Asia/Kolkata'`);
  const { adapter } = await open(10_000, `${zone}?options=${encodeURIComponent('-c lock_timeout=1234')}`);
  const at = new Date(1_700_000_000_123);
  const { rows } = await adapter.queryRaw({
    sql: `SELECT $1::timestamptz, extract(epoch FROM $1::timestamptz)::float8, current_setting('lock_timeout')`,
    args: [at],
    argTypes: [{ scalarType: 'datetime', dbType: 'TIMESTAMPTZ', arity: 'scalar' }],
  });
  expect(rows).toEqual([['2023-11-14T22:13:20.123+00:00', 1_700_000_000.123, '1234ms']]);
});

/** Takes the one connection for so many milliseconds. */
async function holdConnection({ adapter }: Opened, milliseconds: number): Promise<void> {
  const transaction = await adapter.startTransaction();
  await pause(milliseconds);
  await transaction.executeRaw(statement('ROLLBACK'));
  await transaction.rollback();
}
const ask = ({ database, adapter }: Opened) => database.run(() => adapter.queryRaw(statement('SELECT 1')));
const refusal = { kind: 'unavailable', cause: { name: 'PoolExhausted' } };

test('all steps of a request together wait for a connection no longer than one step may', async () => {
  const impatient = await open(500);
  const held = holdConnection(impatient, 3_000);
  await inRequest('a-request', async () => {
    // If each waited its half second again, one of them would be served.
    for (let step = 0; step < 8; step++) await expect(ask(impatient)).rejects.toMatchObject(refusal);
  });
  await held;
  await inRequest('another-request', async () => {
    for (let step = 0; step < 5; step++) await ask(impatient);
  });
});

test('requests beyond a limited queue are refused at once, and requests in it are served', async () => {
  const patient = await open(10_000);
  const held = holdConnection(patient, 500);
  const ends: string[] = [];
  const note = (end: string) => () => void ends.push(end);
  await Promise.all(Array.from({ length: 80 }, () => ask(patient).then(note('served'), note('refused'))));
  expect(ends).toEqual([...Array(16).fill('refused'), ...Array(64).fill('served')]);
  await held;
});
