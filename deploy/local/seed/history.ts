import { createHash } from 'node:crypto';
import { usageService } from '@platform/protos/identity';
import type { Client } from '@platform/service-kit/database/connection.ts';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { Principal } from '../../../gateway/src/principal.ts';
import { toRecord } from '../../../gateway/src/reporting/failed-requests.ts';
import { createUsageBuffer, toCount } from '../../../gateway/src/reporting/usage.ts';
import { matchRoute, requiredScopeOf } from '../../../gateway/src/routes.ts';
import type { ApiKey } from '../../../identity-service/src/credentials/api-keys/api-key.ts';
import { demoCalls, type OrderChange } from './calls.ts';
import { call, grpcOptions, type SeedContext } from './context.ts';
import { type DemoKeyName, demoKeys } from './keys.ts';

const dayMs = 86_400_000;

/** As long as failed requests are kept. */
const recordedMs = 7 * dayMs;

/** More than enough: only the first fifth of a buffer has addresses and endpoints. */
const maxEntries = 20_000;

/** Whether the business has requests from before today. Requests of an interrupted start are younger. */
export async function hasHistory(database: Client, businessId: number): Promise<boolean> {
  const text = `SELECT 1 FROM usage_hours WHERE business_id = $1 AND hour < now() - interval '1 day' LIMIT 1`;
  return (await database.query(text, [businessId])).rows.length > 0;
}

/**
 * Reports the requests of the demo keys like a gateway, so that figures, failed requests and last uses agree. All times and ids
 * derive from those of the keys, so a repeated report adds nothing.
 */
export async function reportHistory(context: SeedContext, businessId: number): Promise<void> {
  const { identityGrpcTarget, identityDatabase, businessDatabase } = context;
  const keys = await findKeys(context, businessId);
  const { expiredKey, secretKey } = keys;
  if (expiredKey?.expiresAt === undefined || secretKey === undefined) return;
  const now = expiredKey.expiresAt + dayMs;
  const calls = demoCalls({
    begin: expiredKey.createdAt,
    handover: secretKey.createdAt,
    expiry: expiredKey.expiresAt,
    now,
    changes: await findChanges(businessDatabase, businessId),
  });
  const usage = createUsageBuffer(maxEntries);
  const records: ReturnType<typeof toRecord>[] = [];
  for (const made of calls) {
    const key = keys[made.key];
    if (key === undefined) continue;
    const { at, method, path, status, refusal, invalidField = '', clientIp } = made;
    const principal = principalOf(key);
    const route = matchRoute(method, path);
    const scope = route.kind === 'found' ? route.scope : null;
    usage.record(principal, { status, clientIp, scope, endpoint: route, limitUsed: undefined, at });
    if (status < 400 || at < now - recordedMs) continue;
    const requestId = stableId(`${key.id} ${at} ${method} ${path}`);
    const requiredScope = requiredScopeOf(route);
    const sent = { requestId, at, method, path, route: route.name, status, refusal, invalidField };
    records.push(toRecord({ ...sent, principal, clientIp, requiredScope }));
  }
  const { rpc, close } = createGrpcClient(usageService, grpcOptions(identityGrpcTarget));
  try {
    await rpc.RecordRequests({ records }, call);
    // Sets the time of receipt, so that each record is purged when its own week has passed.
    const keep = 'UPDATE request_records SET received_at = at WHERE business_id = $1';
    await identityDatabase.query(keep, [businessId]);
    const counts = usage.take(Number.POSITIVE_INFINITY).map(toCount);
    await rpc.RecordUsage({ batchId: stableId(secretKey.id), counts }, call);
  } finally {
    close();
  }
}

type Keys = Readonly<Record<DemoKeyName, ApiKey | undefined>>;

async function findKeys({ acts }: SeedContext, businessId: number): Promise<Keys> {
  const found = await acts.keys.list(businessId);
  const named = (key: DemoKeyName) => found.find(({ name }) => name === demoKeys[key].name);
  return {
    secretKey: named('secretKey'),
    restrictedKey: named('restrictedKey'),
    expiredKey: named('expiredKey'),
  };
}

/** Changes of orders: requests made them. */
async function findChanges(database: Client, businessId: number): Promise<OrderChange[]> {
  const found = await database.query<{ type: string; orderId: string; at: Date }>(
    `SELECT type, payload ->> 'id' AS "orderId", created_at AS at FROM events
     WHERE business_id = $1 AND type LIKE 'order.%' ORDER BY sequence`,
    [businessId],
  );
  return found.rows.map((row) => ({ ...row, at: row.at.getTime() }));
}

function principalOf({ id, businessId, keyType }: ApiKey): Principal {
  const credentialType =
    keyType === 'secret' ? 'CREDENTIAL_TYPE_SECRET_KEY' : 'CREDENTIAL_TYPE_RESTRICTED_KEY';
  return {
    businessId,
    credentialType,
    credentialId: id,
    limitId: id,
    scopes: [],
    expiresAt: undefined,
    allowedOrigins: [],
    isSandbox: false,
  };
}

/** The same UUID for the same text. */
function stableId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}
