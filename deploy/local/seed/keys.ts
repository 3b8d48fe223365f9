import { apiKeyService } from '@platform/protos/identity';
import { checkedTokenPrefix } from '@platform/service-kit/checked-token.ts';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { actor, call, type DemoFile, grpcOptions, type SeedContext } from './context.ts';
import { send } from './pages.ts';

type DemoKeyName = 'secretKey' | 'restrictedKey' | 'expiredKey';

const wanted = {
  secretKey: { name: 'Demo: full access', keyType: 'API_KEY_TYPE_SECRET', scopes: [] },
  restrictedKey: {
    name: 'Demo: reads the business',
    keyType: 'API_KEY_TYPE_RESTRICTED',
    scopes: ['business:read'],
  },
  expiredKey: { name: 'Demo: expired', keyType: 'API_KEY_TYPE_SECRET', scopes: [] },
} as const;
const dayMs = 86_400_000;

/**
 * Makes the demo keys that are missing: all of them at the first start; later those that were rotated or deleted, or
 * whose string an interrupted start has lost.
 */
export async function ensureDemoKeys(
  context: SeedContext,
  businessId: number,
): Promise<Pick<DemoFile, DemoKeyName>> {
  const { rpc, close } = createGrpcClient(apiKeyService, grpcOptions(context.identityGrpcTarget));
  const ensure = async (key: DemoKeyName): Promise<string> => {
    const known = context.kept[key];
    if (known !== undefined && (await isUsable(key, known, context.gatewayUrl))) return known;
    if (known === undefined) await deleteNamed(rpc, businessId, wanted[key].name);
    const expiresAtUnixMs = key === 'expiredKey' ? Date.now() + dayMs : 0;
    const { name, keyType, scopes } = wanted[key];
    const settings = { name, scopes: [...scopes], description: 'Made by npm start' };
    const made = await rpc.CreateApiKey({ actor, businessId, expiresAtUnixMs, keyType, settings }, call);
    if (key === 'expiredKey') await expire(context, made.apiKey?.id ?? '');
    context.keep({ [key]: made.keyString });
    return made.keyString;
  };
  try {
    const secretKey = await ensure('secretKey');
    const restrictedKey = await ensure('restrictedKey');
    return { secretKey, restrictedKey, expiredKey: await ensure('expiredKey') };
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

/** No call makes an expired key: this one's life is moved into the past. */
async function expire({ identityDatabase }: SeedContext, id: string): Promise<void> {
  await identityDatabase.query(
    `UPDATE api_keys SET created_at = now() - interval '30 days', expires_at = now() - interval '1 day' WHERE id = $1`,
    [id],
  );
}
