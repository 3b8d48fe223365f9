import { execFile } from 'node:child_process';
import { delimiter } from 'node:path';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { z } from 'zod';
import { clusterUser } from '../../deploy/local/postgres.ts';
import { compileCache } from './compile-cache.ts';
import { expectEventually } from './expect-eventually.ts';
import type { Platform } from './platform.ts';
import { query, type TestPostgres } from './postgres.ts';
import type { PostgresTools } from './postgres-tools.ts';

const run = promisify(execFile);

/** Backups and restores of a platform, with the commands of docs/operations/restore.md. */
export interface Restores {
  /** A command of deploy/backup, with what it needs of the environment; resolves to what it prints. */
  backupCommand(name: string, args: readonly string[], options?: BackupOptions): Promise<string>;
  /** Runs the command that finishes a restore, with the environment of identity-service. */
  finish(
    change?: Readonly<Record<string, string>>,
    options?: readonly string[],
  ): Promise<{ stdout: string; stderr: string }>;
  /** Waits until the log of revocations has every audit event. */
  logged(): Promise<void>;
  /** Stops every service that uses the databases. */
  stopAll(): Promise<void>;
}

interface BackupOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Command and arguments that go in front. */
  readonly prefix?: readonly string[];
}

/** Makes databases with a role of their own, as deploy/docker/databases.sh does; the password is that of the administrator. */
export function ownedDatabases(postgres: TestPostgres): () => Promise<string> {
  return async () => {
    const url = new URL(await postgres.createDatabase());
    const name = url.pathname.slice(1);
    await query(url.href, `CREATE ROLE ${name} LOGIN PASSWORD '${url.password}'`);
    await query(url.href, `ALTER DATABASE ${name} OWNER TO ${name}`);
    url.username = name;
    return url.href;
  };
}

/** The same database, for the administrator of the server. */
export function asAdministrator(text: string): URL {
  const url = new URL(text);
  url.username = clusterUser;
  return url;
}

/** @param platform over `ownedDatabases` */
export function restoresOf(platform: Platform, tools: PostgresTools): Restores {
  const { databases, identities, businesses, webhooks } = platform;
  const withoutPassword = (text: string) => {
    const url = asAdministrator(text);
    url.password = '';
    return url.href;
  };
  return {
    backupCommand: async (name, args, { env = {}, prefix = [] } = {}) => {
      const environment = {
        PATH: `${tools.bin}${delimiter}${process.env.PATH}`,
        PGPASSWORD: new URL(databases.identity).password,
        IDENTITY_DATABASE_URL: withoutPassword(databases.identity),
        BUSINESS_DATABASE_URL: withoutPassword(databases.business),
        WEBHOOK_DATABASE_URL: withoutPassword(z.string().parse(databases.webhook)),
        REPLICATION_URL: withoutPassword(databases.identity),
        ...env,
      };
      const [command = '', ...rest] = [...prefix, `deploy/backup/${name}`, ...args];
      const { stdout } = await run(command, rest, { env: environment, timeout: 120_000 });
      return stdout.trim();
    },
    finish: (change = {}, options = []) => {
      const command = 'identity-service/src/restore/main.ts';
      const args = ['--disable-warning=ExperimentalWarning', command, ...options];
      const env = { ...compileCache, ...identities[0]?.recipe().env, ...change };
      return run(process.execPath, args, { env, timeout: 60_000 });
    },
    logged: () =>
      expectEventually(
        async () => {
          const newest = 'SELECT max(id) AS id FROM audit_events';
          const [row] = await query<{ id: string }>(databases.identity, newest);
          const position = await platform.redis?.command(
            'HMGET',
            '{revocations}:position',
            'last',
            'complete',
          );
          const [last, complete] = z.array(z.unknown()).parse(position);
          const rotated = await platform.redis?.command('ZCARD', '{revocations}:rotations');
          expect([last, complete, Number(rotated) > 0]).toEqual([row?.id, '1', true]);
        },
        { withinMs: 10_000 },
      ),
    stopAll: async () => {
      for (const service of [...identities, ...businesses, ...webhooks]) await service.stop();
      await platform.leaveDatabase();
    },
  };
}
