import { readConfig } from '@platform/service-kit/config/config.ts';
import { Client, sessionUrl } from '@platform/service-kit/database/connection.ts';
import { Redis } from 'ioredis';
import { openActs } from '../../../identity-service/src/acts.ts';
import { actsSchema } from '../../../identity-service/src/config.ts';
import { positionKey } from '../../../identity-service/src/restore/log.ts';
import { type LocalDirectory, writePrivateFile } from '../directory.ts';
import { ensureDemoApplication } from './application.ts';
import { applicationOwner, ensureVerifiedBusiness } from './businesses.ts';
import { type DemoFile, type PartialDemoFile, readDemoFile, type SeedContext } from './context.ts';
import { ensureDemoEndpoint } from './endpoint.ts';
import { hasHistory, reportHistory } from './history.ts';
import { ensureDemoKeys } from './keys.ts';
import { ensureDemoOwner } from './login.ts';
import { demoOrders } from './orders.ts';
import { insertOrders } from './tables.ts';

type Addresses =
  | 'baseUrl'
  | 'gatewayUrl'
  | 'identityGrpcTarget'
  | 'businessGrpcTarget'
  | 'webhookGrpcTarget'
  | 'redirectUri';

interface SeedOptions extends Pick<SeedContext, Addresses> {
  readonly directory: LocalDirectory;
  /** Variables of identity-service. */
  readonly identityEnv: Readonly<Record<string, string>>;
  /** URLs. */
  readonly databases: { readonly identity: string; readonly business: string };
}

interface Seeded {
  readonly demo: DemoFile;
  /** Secret of the demo application's endpoint. Stored by webhook-service only, and in no file. */
  readonly webhookSecret: string;
}

/**
 * Creates missing demo data and writes demo.json. Each step checks what exists, so that a start continues an interrupted one.
 */
export async function seed({
  directory,
  databases,
  identityEnv,
  ...addresses
}: SeedOptions): Promise<Seeded> {
  const kept = readDemoFile(directory.demoFile);
  let known: PartialDemoFile = { ...kept, baseUrl: addresses.baseUrl };
  const keep = (more: PartialDemoFile) => {
    known = { ...known, ...more };
    writePrivateFile(directory.demoFile, known);
  };
  await using resources = new AsyncDisposableStack();
  const acts = openActs(readConfig(actsSchema, identityEnv), 'npm-start', resources);
  const identityDatabase = new Client({ connectionString: sessionUrl(databases.identity) });
  const businessDatabase = new Client({ connectionString: sessionUrl(databases.business) });
  const context = {
    ...addresses,
    acts,
    identityDatabase,
    businessDatabase,
    mailDirectory: directory.mail,
    kept,
    keep,
  };
  await Promise.all([identityDatabase.connect(), businessDatabase.connect()]);
  try {
    const seeded = await seedInto(context);
    if (identityEnv.REDIS_URL !== undefined) await readRevocationsAnew(identityEnv.REDIS_URL);
    writePrivateFile(directory.demoFile, seeded.demo);
    return seeded;
  } finally {
    await Promise.all([identityDatabase.end(), businessDatabase.end()]);
  }
}

/** Audit events have been moved into the past. The log of revocations would take that for a database that was restored. */
async function readRevocationsAnew(redisUrl: string): Promise<void> {
  const redis = new Redis(redisUrl);
  await redis.del(positionKey).finally(() => redis.disconnect());
}

async function seedInto(context: SeedContext): Promise<Seeded> {
  const { baseUrl, keep } = context;
  const { login, business } = await ensureDemoOwner(context);
  keep({ business });
  const trading = ensureDemoTrading(context, business.id);
  const software = ensureDemoSoftware(context);
  // Waits for both, so that neither is still running at a second attempt.
  await Promise.allSettled([trading, software]);
  const keys = await trading;
  const { application, webhookSecret } = await software;
  return { demo: { baseUrl, business, ...keys, login, application }, webhookSecret };
}

/** Orders, keys and past of the demo business. */
async function ensureDemoTrading(context: SeedContext, businessId: number) {
  await insertOrders(context.businessDatabase, businessId, demoOrders(new Date()));
  const isFirst = !(await hasHistory(context.identityDatabase, businessId));
  const keys = await ensureDemoKeys(context, businessId, isFirst);
  if (isFirst) await reportHistory(context, businessId);
  return keys;
}

/** The demo application, with its business and its endpoint. */
async function ensureDemoSoftware(context: SeedContext) {
  const owner = await ensureVerifiedBusiness(context, applicationOwner);
  const application = await ensureDemoApplication(context, owner.id);
  return { application, webhookSecret: await ensureDemoEndpoint(context, owner.id, application) };
}
