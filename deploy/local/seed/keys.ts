import { apiKeyService } from '@platform/protos/identity';
import { checkedTokenPrefix } from '@platform/service-kit/checked-token.ts';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { actor, call, type DemoFile, grpcOptions, type SeedContext } from './context.ts';
import { send } from './pages.ts';
import { backdateKey, insertExpiryNotices } from './past.ts';

export type DemoKeyName = 'secretKey' | 'restrictedKey' | 'expiredKey';

export const demoKeys = {
  secretKey: { name: 'Demo: full access', keyType: 'API_KEY_TYPE_SECRET', scopes: [] },
  restrictedKey: {
    name: 'Demo: reads the business',
    keyType: 'API_KEY_TYPE_RESTRICTED',
    scopes: ['business:read'],
  },
  expiredKey: { name: 'Demo: expired', keyType: 'API_KEY_TYPE_SECRET', scopes: [] },
} as const;
const dayMs = 86_400_000;

/** Days since the two keys of today took over from the one that expired yesterday. */
const handoverDays = 14;

const expiredKeyDays = { life: 29, since: 30 };

/**
 * Makes the demo keys that are missing: all of them at the first start; later those that were rotated or deleted, or
 * whose string an interrupted start has lost.
 * @param isFirst whether they have a past
 */
export async function ensureDemoKeys(
  context: SeedContext,
  businessId: number,
  isFirst: boolean,
): Promise<Pick<DemoFile, DemoKeyName>> {
  const { rpc, close } = createGrpcClient(apiKeyService, grpcOptions(context.identityGrpcTarget));
  const ensure = async (key: DemoKeyName): Promise<string> => {
    const known = context.kept[key];
    if (known !== undefined && (await isUsable(key, known, context.gatewayUrl))) return known;
    if (known === undefined) await deleteNamed(rpc, businessId, demoKeys[key].name);
    const expiresAtUnixMs = key === 'expiredKey' ? Date.now() + expiredKeyDays.life * dayMs : 0;
    const { name, keyType, scopes } = demoKeys[key];
    const settings = { name, scopes: [...scopes], description: 'Made by npm start' };
    const made = await rpc.CreateApiKey({ actor, businessId, expiresAtUnixMs, keyType, settings }, call);
    await age(context, key, made.apiKey?.id ?? '', isFirst);
    context.keep({ [key]: made.keyString });
    return made.keyString;
  };
  try {
    // In the order of their times, as in the audit log.
    const expiredKey = await ensure('expiredKey');
    const secretKey = await ensure('secretKey');
    return { secretKey, restrictedKey: await ensure('restrictedKey'), expiredKey };
  } finally {
    close();
  }
}

type ApiKeyRpc = ReturnType<typeof createGrpcClient<typeof apiKeyService>>['rpc'];

/** Deletes the key of an interrupted start: its string is lost. */
async function deleteNamed(rpc: ApiKeyRpc, businessId: number, wantedName: string): Promise<void> {
  const { apiKeys } = await rpc.ListApiKeys({ businessId }, call);
  for (const { id, settings } of apiKeys) {
    if (settings?.name === wantedName) await rpc.DeleteApiKey({ actor, businessId, apiKeyId: id }, call);
  }
}

/** Whether the gateway accepts a key; the expired one need only have the form of today. */
async function isUsable(key: DemoKeyName, known: string, gatewayUrl: string): Promise<boolean> {
  if (key === 'expiredKey') return checkedTokenPrefix(known) !== undefined;
  const headers = { Authorization: `Bearer ${known}` };
  const { status } = await send(`${gatewayUrl}/v2/businesses/me`, { headers });
  return status !== 401;
}

/** No call makes a key with a past. */
async function age(
  { identityDatabase }: SeedContext,
  key: DemoKeyName,
  id: string,
  isFirst: boolean,
): Promise<void> {
  if (key === 'expiredKey') {
    await backdateKey(identityDatabase, id, expiredKeyDays.since);
    await insertExpiryNotices(identityDatabase, id);
  } else if (isFirst) {
    await backdateKey(identityDatabase, id, handoverDays);
  }
}
