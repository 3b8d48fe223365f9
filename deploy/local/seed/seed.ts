import pg from 'pg';
import { send } from '../http/send.ts';
import type { LocalDirectory } from '../start/directory.ts';
import { writePrivateFile } from '../start/private-file.ts';
import { ensureDemoApplication } from './demo-application.ts';
import { applicationOwner } from './demo-businesses.ts';
import { type DemoFile, type PartialDemoFile, readDemoFile } from './demo-file.ts';
import { ensureDemoKeys } from './demo-keys.ts';
import { demoOrders } from './demo-orders.ts';
import { ensureDemoOwner } from './demo-owner.ts';
import { insertOrders } from './insert-orders.ts';
import { insertUsage } from './insert-usage.ts';
import { ensureVerifiedBusiness } from './verified-business.ts';

export interface SeedContext {
  readonly directory: LocalDirectory;
  readonly baseUrl: string;
  readonly identityGrpcTarget: string;
  readonly businessGrpcTarget: string;
  readonly identityDatabaseUrl: string;
  readonly businessDatabaseUrl: string;
  /** Of the demo application. */
  readonly redirectUri: string;
}

/**
 * Makes the demo data that is not there yet and writes demo.json. Each step looks at what exists, so a start that was
 * cut off in the middle is taken up by the next.
 */
export async function seed(context: SeedContext): Promise<DemoFile> {
  const { identityDatabaseUrl, businessDatabaseUrl } = context;
  return withDatabase(identityDatabaseUrl, (identityDatabase) =>
    withDatabase(businessDatabaseUrl, (businessDatabase) =>
      seedInto(context, identityDatabase, businessDatabase),
    ),
  );
}

async function seedInto(
  context: SeedContext,
  identityDatabase: pg.Client,
  businessDatabase: pg.Client,
): Promise<DemoFile> {
  const { directory, baseUrl, businessGrpcTarget } = context;
  const file = directory.demoFile;
  const kept = readDemoFile(file);
  let known: PartialDemoFile = { ...kept, baseUrl };
  const keep = (more: PartialDemoFile) => {
    known = { ...known, ...more };
    writePrivateFile(file, known);
  };

  const { login, business } = await ensureDemoOwner(kept.login, {
    baseUrl,
    businessGrpcTarget,
    identityDatabase,
    businessDatabase,
    mailDirectory: directory.mail,
    keep: (owner) => keep({ login: owner }),
  });
  keep({ business });
  await insertOrders(businessDatabase, business.id, demoOrders(new Date()));
  const keys = await ensureDemoKeys(kept, {
    ...context,
    identityDatabase,
    businessId: business.id,
    isAccepted: (keyString) => isAccepted(baseUrl, keyString),
    keep,
  });
  await insertUsage(identityDatabase, business.id);
  const owner = await ensureVerifiedBusiness(businessGrpcTarget, businessDatabase, applicationOwner);
  const application = await ensureDemoApplication(kept.application, { ...context, businessId: owner.id });
  const demo = { baseUrl, business, ...keys, login, application };
  writePrivateFile(file, demo);
  return demo;
}

async function withDatabase<T>(url: string, use: (database: pg.Client) => Promise<T>): Promise<T> {
  const database = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await database.connect();
  try {
    return await use(database);
  } finally {
    await database.end();
  }
}

async function isAccepted(baseUrl: string, keyString: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${keyString}` };
  const { status } = await send(`${baseUrl}/v2/businesses/me`, { headers });
  return status !== 401;
}
