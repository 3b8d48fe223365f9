import { readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ensureBuilt } from '../../dashboard/build/ensure-built.ts';
import { ensureDocsBuilt } from '../../docs-site/build/ensure-built.ts';
import { holdPortForDemoClient, startDemoClient } from './demo-client.ts';
import { watchSources } from './dev.ts';
import { type LocalDirectory, prepareDirectory, takeLock, writePrivateFile } from './directory.ts';
import { sayMails } from './mails.ts';
import { type OwnApi, readOwnApi } from './own-api.ts';
import { startPostgres } from './postgres.ts';
import { endRecordedProcesses, startReaper } from './process/record.ts';
import { startRedis } from './redis.ts';
import { loadSecrets } from './secrets.ts';
import type { DemoFile } from './seed/context.ts';
import { send } from './seed/pages.ts';
import { seed } from './seed/seed.ts';
import { type RunFile, startServices } from './services.ts';
import { isWildcard, type Settings, StartError } from './settings.ts';
import type { Supervisor } from './supervisor.ts';

/** Starts the whole platform in one directory, in this order, and prints how to use it. */
export async function startLocal(settings: Settings, supervisor: Supervisor): Promise<void> {
  const ownApi = settings.with === undefined ? undefined : readOwnApi(settings.with);
  const directory = prepareDirectory(settings.directory);
  supervisor.onEnd(takeLock(directory.lockFile));
  await endLeftovers(directory, supervisor);
  await checkPort(settings.host, settings.port);
  supervisor.onEnd(() => endRecordedProcesses(directory.records));
  startReaper(directory.records);

  const built = ({ built }: { built: boolean }) => (built ? 'built' : 'up to date');
  await supervisor.step('documentation', async () => ensureDocsBuilt(), built);
  await supervisor.step('dashboard', async () => ensureBuilt(), built);
  const secrets = loadSecrets(directory);
  const postgres = await supervisor.step('PostgreSQL', () =>
    startPostgres(directory, secrets.databasePassword),
  );
  supervisor.watch(postgres.part);
  const redis = await supervisor.step(
    'Redis',
    () => startRedis(settings.redisUrl, directory, secrets.redisPassword),
    ({ text }) => text,
  );
  if (redis.part !== undefined) supervisor.watch(redis.part);
  const { databases } = postgres;
  const context = { settings, ownApi, directory, secrets, supervisor, databases, redisUrl: redis.url };
  const { run, restarts } = await startServices(context);
  writePrivateFile(directory.runFile, run);
  supervisor.onEnd(() => rmSync(directory.runFile, { force: true }));

  const held = await holdPortForDemoClient(settings.callbackPort);
  const redirectUri = `http://127.0.0.1:${held.port}/callback`;
  const makeDemo = () => seed({ ...run, directory, databases, redirectUri });
  // On a busy machine a step may exceed its deadline. The second attempt continues where the first has ended.
  const { demo, webhookSecret } = await supervisor.step('demo data', () => makeDemo().catch(makeDemo));
  const startClient = async () => {
    await held.release();
    if (!(await isReachable(run.baseUrl))) return undefined;
    return startDemoClient(demo.application, webhookSecret, run.baseUrl, directory);
  };
  const client = await supervisor.step('demo application', startClient, (part) =>
    part === undefined ? `not started: ${run.baseUrl} cannot be reached from here` : 'ready',
  );
  if (client !== undefined) supervisor.watch(client);
  const dashboard = settings.watch ? await watchSources(restarts, run, supervisor) : undefined;
  await awaitFirstResponse(run.gatewayUrl, demo.secretKey);
  supervisor.say(banner(settings, demo, run, { dashboard, ownApi, hasClient: client !== undefined }));
  sayMails(directory.mail, supervisor);
}

/** Whether PUBLIC_URL works on this machine. The demo application needs it, like a browser. */
async function isReachable(baseUrl: string): Promise<boolean> {
  const response = await send(`${baseUrl}/.well-known/oauth-authorization-server`).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}

const firstResponseLimitMs = 30_000;

/** Sends the request of the banner until it works. @throws StartError with the last outcome */
async function awaitFirstResponse(gatewayUrl: string, key: string): Promise<void> {
  const url = `${gatewayUrl}${firstPath}`;
  const giveUpAt = performance.now() + firstResponseLimitMs;
  for (;;) {
    const outcome = await send(url, { headers: { Authorization: `Bearer ${key}` } }).then(
      async (response) => {
        await response.body?.cancel();
        return response.status === 200 ? undefined : `status ${response.status}`;
      },
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    if (outcome === undefined) return;
    if (performance.now() > giveUpAt) throw new StartError(`GET ${url} does not work: ${outcome}.`);
    await delay(100);
  }
}

/** Ends the processes of a start that was killed. */
async function endLeftovers({ allRecords }: LocalDirectory, { say }: Supervisor): Promise<void> {
  const launchers = readdirSync(allRecords).map((name) => join(allRecords, name));
  const ended = (await Promise.all(launchers.map(endRecordedProcesses))).flat();
  if (ended.length > 0) say(`  Ended what an earlier start had left running: ${ended.join(', ')}.`);
}

/** @throws StartError when the address cannot be listened on */
async function checkPort(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject).listen(port, host, resolve);
    });
  } catch (cause) {
    throw new StartError(explain(host, port, cause), { cause });
  }
  await new Promise<void>((resolve) => probe.close(() => resolve()));
}

function explain(host: string, port: number, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  const other = `PORT=${port === 8080 ? 8081 : 8080} npm start`;
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use: stop what listens there, or take another: ${other}`;
  if (code === 'EACCES') return `Port ${port} needs more rights than this user has: take another: ${other}`;
  return `${host}:${port} cannot be listened on (${code ?? cause}): check HTTP_HOST and PORT.`;
}

/** The request of the banner. */
const firstPath = '/v2/businesses/me';

interface Started {
  /** Of `npm run dev`. */
  readonly dashboard: string | undefined;
  readonly ownApi: OwnApi | undefined;
  /** Whether the demo application runs. */
  readonly hasClient: boolean;
}

/** Address, a request that works, a flow to try, and where things are. */
function banner(settings: Settings, demo: DemoFile, run: RunFile, started: Started): string {
  const { dashboard, ownApi, hasClient } = started;
  const directory = settings.directoryName;
  const at = (name: string) => join(directory, name);
  const { login, application, baseUrl } = demo;
  const flow = `
  try the flow  ${new URL(application.redirectUri).origin}  (OAuth, a call and a webhook, on one page)`;
  return `
Ready in ${(performance.now() / 1000).toFixed(1)} s: ${baseUrl}
${publicUrlAdvice(settings, run)}
  curl -i ${baseUrl}${firstPath} -H 'Authorization: Bearer ${demo.secretKey}'

  dashboard     ${dashboard ?? `${baseUrl}/dashboard`}
  log in with   ${login.email}  ${login.password ?? '(with the password that was set since)'}
  docs          ${baseUrl}/docs${hasClient ? flow : ''}${ownApi === undefined ? '' : describeOwn(ownApi)}

  demo keys   ${at('demo.json')}  (full access, business:read only, expired; the login; the application)
  mails       ${at('mail')}  (nothing is sent: every mail is a file there, and its link is printed here)
  logs        ${at('logs')}
  data        ${at('postgres')}  (remove ${directory} to begin anew)
  health      ${run.ops.gateway}/readyz and /metrics
  operators   npm run admin -- --help
  verify      npm run admin -- business verify --business <id> --legal-name Test --registration-number 1 --country DE

Ctrl-C stops everything.
`;
}

const describeOwn = ({ folder, operations }: OwnApi) => `
  own API       ${operations.join(', ')}  (${folder})`;

/** Links and forms name one address: browsers elsewhere need another than the loopback. */
function publicUrlAdvice({ host, publicUrl }: Settings, { baseUrl }: RunFile): string {
  if (publicUrl !== undefined || !isWildcard(host)) return '';
  const addresses = Object.values(networkInterfaces()).flatMap((of = []) => of);
  const { address = 'this-machine' } =
    addresses.find((each) => !each.internal && each.family === 'IPv4') ?? {};
  const { port } = new URL(baseUrl);
  return `
  Browsers on other machines need PUBLIC_URL, the address at which they reach this one; until then their forms are refused:
  HTTP_HOST=${host} PORT=${port} PUBLIC_URL=http://${address}:${port} npm start
`;
}
