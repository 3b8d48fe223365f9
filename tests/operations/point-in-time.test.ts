import { execFile } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { unprivileged } from '../../deploy/local/postgres.ts';
import type { TestKey } from '../harness/api-keys.ts';
import type { TestApplication } from '../harness/applications.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { requirePostgresTools } from '../harness/postgres-tools.ts';
import { asAdministrator, ownedDatabases, type Restores, restoresOf } from '../harness/restore.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { connectWebhooks, makeOrder, type Webhooks } from '../harness/webhooks.ts';

/*
 * Promise: a server of PostgreSQL that is lost comes back from a base backup and the archive of its write-ahead log, to the end
 * or to a moment, and nothing that was revoked since works. With the commands and settings of docs/operations/back-up.md and restore.md.
 */

const tools = requirePostgresTools(process.env);
const within = { withinMs: 10_000 };
const as = unprivileged();
const run = promisify(execFile);

const documented = readFileSync('docs/operations/back-up.md', 'utf8');
/** Of the block of postgresql.conf. */
const settings = Object.fromEntries(
  [...documented.matchAll(/^(archive_\w+|wal_keep_size) = '?([^'\n]+)'?$/gm)].map(([, name, value]) => [
    String(name),
    String(value),
  ]),
);

let archive: string;
let backups: string;
let postgres: TestPostgres;
let platform: Platform;
let webhooks: Webhooks;
let restores: Restores;
let ada: TestPerson;
let application: TestApplication;
beforeAll(async () => {
  archive = runDirectory().newDirectory('archive');
  backups = runDirectory().newDirectory('backups');
  if (as.owner !== undefined) chownSync(archive, as.owner.uid, as.owner.gid);
  const command = settings.archive_command
    ?.replace('/backup/', `${process.cwd()}/deploy/backup/`)
    .replace('/archive/', `${archive}/`);
  const safe = { synchronous_commit: 'on', full_page_writes: 'on' };
  postgres = await startPostgres({ ...safe, ...settings, archive_command: command ?? '' }, tools);
  platform = await startPlatform({ gateways: 2, webhooks: 1, createDatabase: ownedDatabases(postgres) });
  webhooks = connectWebhooks(platform);
  restores = restoresOf(platform, tools);
  ada = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: ada.businessId });
});
afterAll(async () => {
  webhooks?.close();
  await platform?.close();
  await postgres?.close();
});

/** Status of a request with a bearer, at both gateways. */
async function statuses(bearer: string): Promise<number[]> {
  const responses = await Promise.all([0, 1].map((gateway) => platform.me(bearer, gateway)));
  return responses.map(({ status }) => status);
}

/** A new segment of the log, for which PostgreSQL looks at the archive again. */
async function endSegment(): Promise<string> {
  await query(
    asAdministrator(platform.databases.identity).href,
    "SELECT pg_logical_emit_message(false, 'test', 'more')",
  );
  const end = 'SELECT pg_walfile_name(pg_switch_wal()) AS file';
  const [row] = await query<{ file: string }>(asAdministrator(platform.databases.identity).href, end);
  return row?.file ?? '';
}

const archiver = z.object({ last: z.string().nullable(), failed: z.coerce.number() });
async function archived() {
  const look = 'SELECT last_archived_wal AS last, failed_count AS failed FROM pg_stat_archiver';
  return archiver.parse((await query(asAdministrator(platform.databases.identity).href, look))[0]);
}

/** Waits until all that was committed so far is in the archive. */
async function archiveAll(): Promise<void> {
  const file = await endSegment();
  await expectEventually(async () => {
    if (((await archived()).last ?? '') >= file) return;
    await endSegment();
    throw new Error(`${file} is not in the archive`);
  }, within);
}

/** Unpacks a base backup in the place of the server's data. */
const unpack = (base: string, time: readonly string[] = [], from = archive) =>
  restores.backupCommand('restore-base.sh', [base, postgres.directory, ...time], {
    prefix: as.prefix,
    env: { ARCHIVE: from },
  });

/** Kills the server, removes its data, and follows the document up to the start of the services. */
async function loseAndRestore(base: string, time: readonly string[] = []): Promise<void> {
  await postgres.kill();
  await restores.stopAll();
  await expect(unpack(base, time)).rejects.toThrow(/is not empty/);
  rmSync(postgres.directory, { recursive: true });
  await unpack(base, time);
  await postgres.start();
  await restores.backupCommand('end-recovery.sh', []);
  for (const service of platform.businesses) await service.start();
  await expect(platform.identities[0]?.start()).rejects.toThrow(/older than the log of revocations/);
}

async function startServing(kept: string): Promise<void> {
  await platform.identities[0]?.start();
  await expectEventually(async () => expect(await statuses(kept)).toEqual([200, 200]), within);
}

const expectDead = async (...bearers: readonly string[]) => {
  for (const bearer of bearers) expect(await statuses(bearer)).toEqual([401, 401]);
};

const client = () => oauthClient(platform, application);

test('docker-compose.yml archives as the document says', () => {
  expect(Object.keys(settings).sort()).toEqual([
    'archive_command',
    'archive_mode',
    'archive_timeout',
    'wal_keep_size',
  ]);
  const { services } = parse(readFileSync('deploy/backup/archive.yml', 'utf8'));
  const given = services.postgres.command.filter((argument: string) => argument.includes('='));
  expect(given.map((argument: string) => argument.split(/=(.*)/s).slice(0, 2)).sort()).toEqual(
    Object.entries(settings).sort(),
  );
});

test('a missing or full archive loses no data, and PostgreSQL keeps running', async () => {
  await archiveAll();
  const { failed } = await archived();
  renameSync(archive, `${archive}.gone`);
  const file = await endSegment();
  const key = await platform.createKey();
  await expectEventually(async () => expect((await archived()).failed).toBeGreaterThan(failed), within);
  expect(await statuses(key.keyString)).toEqual([200, 200]);
  // As a full disk leaves it.
  writeFileSync(`${archive}.gone/${file}.gz.part`, 'half a fi');
  if (as.owner !== undefined) chownSync(`${archive}.gone/${file}.gz.part`, as.owner.uid, as.owner.gid);
  renameSync(`${archive}.gone`, archive);
  await archiveAll();
});

test('a lost server is recovered with everything that was archived, and without revoked credentials', async () => {
  const made: Record<'deleted' | 'late', TestKey> = {
    deleted: await platform.createKey(),
    late: await platform.createKey(),
  };
  const tokens = await connect(platform, ada.browser, application);
  const base = await restores.backupCommand('base-backup.sh', [backups]);
  const kept = await platform.createKey();
  const order = await makeOrder(platform, kept.keyString);
  await platform.deleteKey(made.deleted);
  await archiveAll();
  renameSync(archive, `${archive}.gone`);
  // Not in the archive.
  const lost = await platform.createKey();
  expect(await statuses(lost.keyString)).toEqual([200, 200]);
  expect(await statuses(made.late.keyString)).toEqual([200, 200]);
  await platform.deleteKey(made.late);
  expect((await client().refresh(tokens.refreshToken)).status).toBe(200);
  await restores.logged();
  // Not before the end of the server: its next try would archive what ended meanwhile.
  await postgres.kill();
  renameSync(`${archive}.gone`, archive);

  await loseAndRestore(base);
  await Promise.all(platform.webhooks.map((service) => service.start()));
  await restores.finish();
  await startServing(kept.keyString);
  await expectDead(made.deleted.keyString, made.late.keyString, lost.keyString);
  const found = await platform.request(0, 'GET', `/v2/order/${order}`, { key: kept.keyString });
  expect(found.status).toBe(200);
  expect((await client().refresh(tokens.refreshToken)).body.error).toBe('invalid_grant');
  expect(await platform.createBusiness('new')).toBeGreaterThan(1_000_000);
});

test('a server that was recovered to a moment accepts no credential that was revoked after it', async () => {
  const bob = await signUpVerified(platform);
  const { businessId } = bob;
  const keys = {
    kept: await platform.createKey({ businessId }),
    deleted: await platform.createKey({ businessId }),
    rotated: await platform.createKey({ businessId }),
  };
  const again = await platform.createApplication({ businessId });
  const tokens = await connect(platform, bob.browser, again);
  await webhooks.enable(again);
  const owner = { businessId, applicationId: again.id };
  const { id: endpointId } = await webhooks.createEndpoint(owner, 'https://receiver.example/hook');
  const base = await restores.backupCommand('base-backup.sh', [backups]);
  const [moment] = await platform.sql<{ at: string }>('SELECT clock_timestamp()::text AS at');
  await platform.deleteKey(keys.deleted);
  await platform.rotateKey(keys.rotated);
  expect((await oauthClient(platform, again).revoke(tokens.refreshToken)).status).toBe(200);
  const { own } = await openDashboard(bob, bob.browser);
  const path = `/webhook-endpoints/${endpointId}?applicationId=${again.id}`;
  expect((await own('DELETE', path)).status).toBe(204);
  const { keyString: lost } = await platform.createKey({ businessId });
  expect(await statuses(lost)).toEqual([200, 200]);
  await restores.logged();
  await archiveAll();

  await loseAndRestore(base, [moment?.at ?? '']);
  const living = 'SELECT id FROM api_keys WHERE id = $1';
  expect(await platform.sql(living, [keys.deleted.id])).toHaveLength(1);
  // Some of the log is replayed, then webhook-service is missing.
  await expect(restores.finish({ SERVICE_TIMEOUT_MS: '1000' })).rejects.toThrow();
  await expect(platform.identities[0]?.start()).rejects.toThrow(/older than the log of revocations/);
  await Promise.all(platform.webhooks.map((service) => service.start()));
  await restores.finish();
  await startServing(keys.kept.keyString);
  await expectDead(keys.deleted.keyString, keys.rotated.keyString, tokens.accessToken, lost);
  const { endpoints } = await webhooks.endpointRpc.ListEndpoints({ owner }, { deadlineMs: 30_000 });
  expect(endpoints.map(({ enabled }) => enabled)).toEqual([false]);
});

test('a recovery stops at an unmounted archive or a damaged file, and continues once it is repaired', async () => {
  const base = await restores.backupCommand('base-backup.sh', [backups]);
  const label = await run('tar', ['-xzOf', `${base}/base.tar.gz`, 'backup_label']);
  const [, first] = /^START WAL LOCATION: .*\(file (\w+)\)$/m.exec(label.stdout) ?? [];
  const segment = `${archive}/${first}.gz`;
  const key = await platform.createKey();
  await archiveAll();
  await postgres.kill();
  await restores.stopAll();
  rmSync(postgres.directory, { recursive: true });

  // As the mount point of a disk that is not mounted.
  const unmounted = runDirectory().newDirectory('unmounted');
  await expect(unpack(base, [], unmounted)).rejects.toThrow(/is this the archive, and its disk mounted/);
  await unpack(base);
  renameSync(archive, `${archive}.gone`);
  mkdirSync(archive);
  await expect(postgres.start()).rejects.toThrow(/is missing: is the disk mounted/);
  rmSync(archive, { recursive: true });
  renameSync(`${archive}.gone`, archive);
  copyFileSync(segment, `${unmounted}/whole`);
  truncateSync(segment, 1_000);
  await expect(postgres.start()).rejects.toThrow(/cannot be unpacked/);
  copyFileSync(`${unmounted}/whole`, segment);
  await postgres.start();
  expect(await restores.backupCommand('end-recovery.sh', [])).toMatch(/^recovered; the last change is of 20/);
  const living = 'SELECT id FROM api_keys WHERE id = $1';
  expect(await platform.sql(living, [key.id])).toHaveLength(1);
});
