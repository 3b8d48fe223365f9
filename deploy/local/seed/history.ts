import { createHash } from 'node:crypto';
import { usageService } from '@platform/protos/identity';
import { readApi } from '@platform/service-kit/api/api.ts';
import type { Client } from '@platform/service-kit/database/connection.ts';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type { Principal } from '../../../gateway/src/principal.ts';
import { type RequestRecord, toRecord } from '../../../gateway/src/reporting/request-records.ts';
import { createUsageBuffer, toCount } from '../../../gateway/src/reporting/usage.ts';
import { createRouteTable } from '../../../gateway/src/routes.ts';
import type { ApiKey } from '../../../identity-service/src/credentials/api-keys/api-key.ts';
import { type DemoCall, demoCalls, errorBodyOf, type OrderChange, responseBytesOf } from './calls.ts';
import { call, grpcOptions, type SeedContext } from './context.ts';
import { type DemoKeyName, demoKeys } from './keys.ts';

const dayMs = 86_400_000;

const recordsPerBatch = 1_000;

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
  const { identityGrpcTarget, businessDatabase } = context;
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
  const routes = createRouteTable(readApi());
  const usage = createUsageBuffer(maxEntries);
  const records: RequestRecord[] = [];
  for (const made of calls) {
    const key = keys[made.key];
    if (key === undefined) continue;
    const { at, method, path, status, clientIp } = made;
    const principal = principalOf(key);
    const route = routes.match(method, path);
    const scope = route.kind === 'found' ? route.scope : null;
    usage.record(principal, { status, clientIp, scope, endpoint: route, limitUsed: undefined, at });
    const requestId = stableId(`${key.id} ${at} ${method} ${path}`);
    records.push(
      toRecord({
        ...endOf(made, records.length),
        requestId,
        principal,
        route: route.name,
        requiredScope: scope ?? '',
      }),
    );
  }
  const { rpc, close } = createGrpcClient(usageService, grpcOptions(identityGrpcTarget));
  try {
    for (let from = 0; from < records.length; from += recordsPerBatch) {
      const batchId = stableId(`${secretKey.id} ${from}`);
      await rpc.RecordRequests({ batchId, records: records.slice(from, from + recordsPerBatch) }, call);
    }
    const counts = usage.take(Number.POSITIVE_INFINITY).map(toCount);
    await rpc.RecordUsage({ batchId: stableId(secretKey.id), counts }, call);
  } finally {
    close();
  }
}

/** The end of a call as a gateway would know it. @param index decides about its duration */
function endOf({ refusal, invalidInput, ...made }: DemoCall, index: number) {
  const upstreamMs = made.status === 504 ? 15_000 : 6 + ((index * 37) % 41);
  const isForwarded = refusal === undefined || refusal === 'upstream_timeout';
  return {
    ...made,
    traceId: undefined,
    ms: isForwarded ? upstreamMs + 1.5 : 1.2,
    upstreamMs: isForwarded ? upstreamMs : undefined,
    responseBytes: responseBytesOf(made, index),
    userAgent: userAgents[made.key],
    refusal,
    invalidInput,
    errorBody: errorBodyOf(made),
    isSimulated: false,
    complete: true,
  };
}

const userAgents: Readonly<Record<DemoKeyName, string>> = {
  secretKey: 'shop/2.4 node/24',
  restrictedKey: 'website/1.8 python-requests/2.32',
  expiredKey: 'nightly-export/1.0 curl/8.5',
};

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
