import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { query } from './postgres.ts';
import type { TestRedis } from './redis.ts';
import { runDirectory } from './run-directory.ts';

/** A place where a secret must not be, and its contents. */
export interface ScannedText {
  readonly where: string;
  readonly text: string;
}

/** Every row of every table, as PostgreSQL writes rows; bytes are in hexadecimal. */
export async function databaseRows(url: string): Promise<ScannedText[]> {
  const tables = await query<{ name: string }>(
    url,
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  return Promise.all(
    tables.map(async ({ name }) => {
      const rows = await query<{ row: string }>(url, `SELECT t::text AS row FROM ${name} t`);
      return { where: `table ${name}`, text: rows.map(({ row }) => row).join('\n') };
    }),
  );
}

/** Every key with its value, and the snapshot file. */
export async function redisContents(redis: TestRedis): Promise<ScannedText[]> {
  const { command } = redis;
  const keys = [await command('KEYS', '*')].flat().map(String);
  const values = await Promise.all(
    keys.map(async (key) => ({
      where: `redis key ${key}`,
      text: JSON.stringify([key, await value(redis, key)]),
    })),
  );
  await command('CONFIG', 'SET', 'rdbcompression', 'no');
  await redis.save();
  const [, directory] = [await command('CONFIG', 'GET', 'dir')].flat();
  const snapshot = readFileSync(join(String(directory), 'dump.rdb'), 'latin1');
  return [...values, { where: 'redis snapshot', text: snapshot }];
}

async function value({ command }: TestRedis, key: string): Promise<unknown> {
  const type = String(await command('TYPE', key));
  if (type === 'string') return command('GET', key);
  if (type === 'hash') return command('HGETALL', key);
  if (type === 'list') return command('LRANGE', key, '0', '-1');
  if (type === 'set') return command('SMEMBERS', key);
  if (type === 'zset') return command('ZRANGE', key, '0', '-1', 'WITHSCORES');
  if (type === 'stream') return command('XRANGE', key, '-', '+');
  throw new Error(`the scan does not read Redis values of type ${type}`);
}

/** Every log of the run, those of databases included. */
export function logFiles(): ScannedText[] {
  const { logs } = runDirectory();
  return readdirSync(logs).map((file) => ({
    where: `log ${file}`,
    text: readFileSync(join(logs, file), 'utf8'),
  }));
}

/** The list of processes, as every user of the machine can read it. */
export function commandLine(pid: number): ScannedText {
  return { where: `command line of ${pid}`, text: readFileSync(`/proc/${pid}/cmdline`, 'utf8') };
}
