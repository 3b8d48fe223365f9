import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../deploy/local/process/free-port.ts';
import type { PlatformSecrets } from '../../deploy/local/secrets.ts';
import { untilBusinessIsBack } from './business-outage.ts';
import { expectEventually } from './expect-eventually.ts';
import { request } from './http-request.ts';
import {
  connectPlatform,
  type GatewayOptions,
  type Platform,
  type PlatformOptions,
  type PlatformProcesses,
  startGateways,
  startProcesses,
} from './platform.ts';
import { attachRedis, type RedisRecipe } from './redis.ts';
import { runDirectory } from './run-directory.ts';
import { attachService, type ServiceRecipe, type TestService } from './service.ts';

/** A platform as one test file writes it down for the next ones of the same worker. */
interface Recipe extends Pick<PlatformProcesses, 'publicUrl' | 'mailDirectory' | 'databases'> {
  readonly secrets: PlatformSecrets;
  readonly gateways: readonly ServiceRecipe[];
  readonly identities: readonly ServiceRecipe[];
  readonly businesses: readonly ServiceRecipe[];
  readonly webhooks: readonly ServiceRecipe[];
  readonly redis?: RedisRecipe | undefined;
}

/** Options of the shared platform, the same for every file. */
const options = {
  gateways: 2,
  identities: 2,
  // Each test uses its own client addresses.
  gatewayEnv: { TRUSTED_PROXIES: '127.0.0.1' },
} as const;

type SharedOptions = Pick<PlatformOptions, 'webhooks'>;

/** Holds the file that describes the platform of the run. */
const runPlatformVariable = 'HARNESS_RUN_PLATFORM';

/** Milliseconds until every process that the previous file has stopped is ready. */
const repairLimitMs = 30_000;

/**
 * In tests/platform, the platform of the run, which no file may stop, freeze or change for others. Elsewhere, that of the
 * worker: two gateways, two identity-services, one business-service, one Redis, and a webhook-service where a file asks for it.
 * The first file that needs it starts it, and it ends with the run. Each call finds all processes running, and gets its own
 * verified business. A file may stop, freeze and start its processes. Files that need other variables, or inspect everything that is stored, counted or
 * logged, start their own platform with `startPlatform()`.
 */
export async function sharedPlatform({ webhooks = 0 }: SharedOptions = {}): Promise<Platform> {
  const ofRun = process.env[runPlatformVariable];
  return connectPlatform(ofRun === undefined ? await sharedProcesses(webhooks) : attach(ofRun));
}

/** Starts the platform of the run: that of a worker, and a webhook-service. */
export async function startRunPlatform({ redis }: { readonly redis: boolean }): Promise<void> {
  const file = join(runDirectory().root, 'run-platform.json');
  await start(file, { ...options, webhooks: 1, redis });
  process.env[runPlatformVariable] = file;
}

/**
 * The worker's platform behind gateways of the file's own, with their own variables and upstreams: the services, Redis and
 * the databases are shared. `close` ends the gateways.
 */
export async function sharedBehind(options: GatewayOptions): Promise<Platform> {
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const shared = await sharedProcesses();
    const own = await startGateways(shared, options, closers, await freePort());
    const platform = await connectPlatform({ ...shared, ...own });
    closers.push(platform.close);
    return { ...platform, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The processes of this worker's platform, each running and ready. */
async function sharedProcesses(webhooks = 0): Promise<PlatformProcesses> {
  const file = join(runDirectory().root, `shared-platform-${process.pid}.json`);
  if (existsSync(file) && (existsSync(staleMark(file)) || attach(file).webhooks.length < webhooks))
    await endShared(file);
  if (!existsSync(file)) await start(file, { ...options, webhooks });
  const processes = attach(file);
  const { redis } = processes;
  redis?.thaw();
  await redis?.start();
  const services = servicesOf(processes);
  for (const service of services) {
    service.thaw();
    await service.start();
  }
  await Promise.all(services.map(untilReady));
  await untilBusinessIsBack(processes);
  return processes;
}

const servicesOf = ({ gateways, identities, businesses, webhooks }: PlatformProcesses) => [
  ...businesses,
  ...identities,
  ...webhooks,
  ...gateways,
];

async function start(file: string, wanted: PlatformOptions): Promise<void> {
  const closers: (() => unknown)[] = [];
  try {
    write(file, await startProcesses(wanted, closers));
  } catch (error) {
    for (const closer of closers.reverse()) await closer();
    throw error;
  }
}

/** Marks that Redis was restarted. Gateways then admit less for an hour, so the next file gets a new platform. */
const staleMark = (file: string) => `${file}.stale`;

async function endShared(file: string): Promise<void> {
  const processes = attach(file);
  await Promise.all(servicesOf(processes).map((service) => service.kill()));
  processes.redis?.thaw();
  await processes.redis?.stop();
  for (const each of [file, staleMark(file)]) rmSync(each, { force: true });
}

function write(file: string, { redis, ...processes }: PlatformProcesses): void {
  const recipes = (services: readonly TestService[]) => services.map((service) => service.recipe());
  const recipe: Recipe = {
    ...processes,
    gateways: recipes(processes.gateways),
    identities: recipes(processes.identities),
    businesses: recipes(processes.businesses),
    webhooks: recipes(processes.webhooks),
    redis: redis?.recipe(),
  };
  writeFileSync(file, JSON.stringify(recipe), { mode: 0o600 });
}

function attach(file: string): PlatformProcesses {
  const recipe: Recipe = JSON.parse(readFileSync(file, 'utf8'));
  const onStart = () => write(file, processes);
  const services = (recipes: readonly ServiceRecipe[]) => recipes.map((one) => attachService(one, onStart));
  const processes: PlatformProcesses = {
    ...recipe,
    webhooks: services(recipe.webhooks),
    gateways: services(recipe.gateways),
    identities: services(recipe.identities),
    businesses: services(recipe.businesses),
    redis:
      recipe.redis &&
      attachRedis(recipe.redis, () => {
        onStart();
        writeFileSync(staleMark(file), '');
      }),
  };
  return processes;
}

const untilReady = ({ ports }: TestService): Promise<void> =>
  expectEventually(
    async () => {
      const { status, text } = await request(ports.ops ?? 0, 'GET', '/readyz');
      if (status !== 200) throw new Error(text);
    },
    { withinMs: repairLimitMs },
  );
