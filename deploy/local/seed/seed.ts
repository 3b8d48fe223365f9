import { get } from 'node:http';
import pg from 'pg';
import type { LocalDirectory } from '../start/directory.ts';
import { writePrivateFile } from '../start/private-file.ts';
import { ensureDemoBusiness } from './demo-business.ts';
import { type DemoFile, readDemoFile } from './demo-file.ts';
import { ensureDemoKeys } from './demo-keys.ts';
import { demoOrders } from './demo-orders.ts';
import { insertOrders } from './insert-orders.ts';

export interface SeedContext {
  readonly directory: LocalDirectory;
  readonly baseUrl: string;
  readonly identityGrpcTarget: string;
  readonly businessGrpcTarget: string;
  readonly identityDatabaseUrl: string;
  readonly businessDatabaseUrl: string;
}

/**
 * Makes the demo data that is not there yet and writes demo.json. Each step looks at what exists, so a start that was
 * cut off in the middle is taken up by the next.
 */
export async function seed(context: SeedContext): Promise<DemoFile> {
  const { directory, baseUrl } = context;
  const kept = readDemoFile(directory.demoFile);
  const business = await withDatabase(context.businessDatabaseUrl, async (database) => {
    const demo = await ensureDemoBusiness(context.businessGrpcTarget, database);
    await insertOrders(database, demo.id, demoOrders(new Date()));
    return demo;
  });
  const keys = await withDatabase(context.identityDatabaseUrl, (identityDatabase) =>
    ensureDemoKeys(kept, {
      identityGrpcTarget: context.identityGrpcTarget,
      identityDatabase,
      businessId: business.id,
      isAccepted: (keyString) => isAccepted(baseUrl, keyString),
      keep: (soFar) => writePrivateFile(directory.demoFile, { ...soFar, baseUrl, business }),
    }),
  );
  const demo = { baseUrl, business, ...keys };
  writePrivateFile(directory.demoFile, demo);
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

/** Asks on a connection of its own: one kept open would hold up the gateway's end. */
function isAccepted(baseUrl: string, keyString: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${keyString}` };
  const signal = AbortSignal.timeout(10_000);
  return new Promise((resolve, reject) => {
    const asked = get(`${baseUrl}/v2/businesses/me`, { agent: false, headers, signal }, (answer) => {
      answer.resume();
      resolve(answer.statusCode !== 401);
    });
    asked.on('error', reject);
  });
}
