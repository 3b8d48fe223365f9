import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '@platform/service-kit/database.ts';
import { createLogger } from '@platform/service-kit/logger.ts';
import { createDatabase, query } from '../harness/postgres.ts';
import { startTcpProxy, type TcpProxy } from '../harness/tcp-proxy.ts';

let databaseUrl: string;
let proxy: TcpProxy;
let database: Database;
beforeAll(async () => {
  databaseUrl = await createDatabase();
  await query(databaseUrl, 'CREATE TABLE notes (text text)');
  const url = new URL(databaseUrl);
  proxy = await startTcpProxy(Number(url.port));
  url.port = `${proxy.port}`;
  const logger = createLogger({ service: 'test', level: 'silent' });
  database = openDatabase({ url: url.href, applicationName: 'test', logger, maxConnections: 1 });
});
afterAll(async () => {
  await database.close();
  await proxy.close();
});

const statement = (sql: string) => ({ sql, args: [], argTypes: [] });

test('what a transaction wrote before its ROLLBACK was lost is never committed by the next one', async () => {
  const adapter = await database.adapter.connect();
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
