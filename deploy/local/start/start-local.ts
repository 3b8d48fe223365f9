import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from '../../../dashboard/build/ensure-built.ts';
import { ensureDocsBuilt } from '../../../docs-site/build/ensure-built.ts';
import { listenForDemoApplication } from '../callback/listen.ts';
import { serveDemoClient } from '../callback/serve.ts';
import { startReaper } from '../process/start-reaper.ts';
import { loadSecrets } from '../secrets/load-secrets.ts';
import { seed } from '../seed/seed.ts';
import { banner } from '../show/banner.ts';
import type { Progress } from '../show/progress.ts';
import { checkPort } from './check-port.ts';
import { type LocalDirectory, prepareDirectory } from './directory.ts';
import { takeLock } from './lock.ts';
import { writePrivateFile } from './private-file.ts';
import type { Settings } from './settings.ts';
import { endLeftovers, type Shutdown } from './shutdown.ts';
import { startPostgres } from './start-postgres.ts';
import { startRedis } from './start-redis.ts';
import { startServices } from './start-services.ts';

/** Starts the whole platform in one directory, in this order, and tells how to use it. */
export async function startLocal(settings: Settings, progress: Progress, shutdown: Shutdown): Promise<void> {
  const directory = prepareDirectory(settings.directory);
  shutdown.onEnd(takeLock(directory.lockFile));
  await recover(directory, progress);
  await checkPort(settings.host, settings.port);
  shutdown.onEnd(() => endLeftovers([directory.records]));
  startReaper(directory.records);

  await progress.step(
    'documentation',
    async () => ensureDocsBuilt(),
    ({ built }) => (built ? 'built' : 'up to date'),
  );
  await progress.step(
    'dashboard',
    async () => ensureBuilt(),
    ({ built }) => (built ? 'built' : 'up to date'),
  );
  const secrets = loadSecrets(directory);
  const postgres = await progress.step('PostgreSQL', () =>
    startPostgres(directory, secrets.databasePassword),
  );
  shutdown.watch(postgres.part);
  const redis = await progress.step(
    'Redis',
    () => startRedis(settings, directory, secrets.redisPassword),
    ({ text }) => text,
  );
  if (redis.part !== undefined) shutdown.watch(redis.part);
  const run = await startServices({
    settings,
    directory,
    secrets,
    progress,
    shutdown,
    identityDatabaseUrl: postgres.identityUrl,
    businessDatabaseUrl: postgres.businessUrl,
    redisUrl: redis.url,
  });
  writePrivateFile(directory.runFile, run);
  shutdown.onEnd(() => rmSync(directory.runFile, { force: true }));
  const door = await listenForDemoApplication(settings.callbackPort);
  shutdown.onEnd(door.close);
  const demo = await progress.step('demo data', () =>
    seed({
      ...run,
      directory,
      identityDatabaseUrl: postgres.identityUrl,
      businessDatabaseUrl: postgres.businessUrl,
      redirectUri: `${door.origin}/callback`,
    }),
  );
  door.open(serveDemoClient({ ...demo.application, issuer: run.baseUrl }));
  const seconds = performance.now() / 1000;
  progress.say(banner({ directory: settings.directoryName, demo, run, seconds }));
}

/** Ends what a start that was killed has left running on this directory. */
async function recover(directory: LocalDirectory, progress: Progress): Promise<void> {
  const launchers = readdirSync(directory.allRecords).map((name) => join(directory.allRecords, name));
  const ended = await endLeftovers(launchers);
  if (ended.length > 0) progress.say(`  Ended what an earlier start had left running: ${ended.join(', ')}.`);
}
