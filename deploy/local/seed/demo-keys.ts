import { apiKeyService } from '@platform/protos/identity';
import { checkedTokenPrefix } from '@platform/service-kit/checked-token.ts';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import type pg from 'pg';

/** The keys that a newcomer tries things with. */
export type DemoKeyName = 'secretKey' | 'restrictedKey' | 'expiredKey';
export type DemoKeys = { readonly [name in DemoKeyName]?: string | undefined };

export interface DemoKeyContext {
  readonly identityGrpcTarget: string;
  readonly identityDatabase: pg.Client;
  readonly businessId: number;
  /** Whether a key string still opens the door; the expired one never does. */
  readonly isAccepted: (keyString: string) => Promise<boolean>;
  /** Keeps the keys that exist so far: their strings are shown only once. */
  readonly keep: (keys: DemoKeys) => void;
}

const call = { deadlineMs: 10_000 };
const actor = { kind: 'system', id: 'npm start', clientIp: '' };
const dayMs = 86_400_000;

const wanted = {
  secretKey: { name: 'Demo: full access', keyType: 'API_KEY_TYPE_SECRET', scopes: [] },
  restrictedKey: {
    name: 'Demo: reads the business',
    keyType: 'API_KEY_TYPE_RESTRICTED',
    scopes: ['business:read'],
  },
  expiredKey: { name: 'Demo: expired', keyType: 'API_KEY_TYPE_SECRET', scopes: [] },
} as const;

/** The expired one opens no door; it is as good as its form, which an earlier version made shorter. */
async function isKept(key: DemoKeyName, known: string, { isAccepted }: DemoKeyContext): Promise<boolean> {
  return key === 'expiredKey' ? checkedTokenPrefix(known) !== undefined : isAccepted(known);
}

/**
 * Makes the demo keys that are not there: all of them at the first start; later those whose string an interrupted
 * start lost, or that somebody rotated or deleted.
 */
export async function ensureDemoKeys(
  kept: DemoKeys,
  context: DemoKeyContext,
): Promise<Record<DemoKeyName, string>> {
  const { rpc, close } = createGrpcClient(apiKeyService, {
    target: context.identityGrpcTarget,
    tls: { kind: 'plain' },
  });
  const ensure = async (key: DemoKeyName): Promise<string> => {
    const known = kept[key];
    if (known !== undefined && (await isKept(key, known, context))) return known;
    const expiresAtUnixMs = key === 'expiredKey' ? Date.now() + dayMs : 0;
    if (known === undefined) await deleteLeftovers(rpc, context.businessId, wanted[key].name);
    const request = {
      actor,
      businessId: context.businessId,
      description: 'Made by npm start',
      expiresAtUnixMs,
    };
    const made = await rpc.CreateApiKey(
      { ...request, ...wanted[key], scopes: [...wanted[key].scopes] },
      call,
    );
    if (key === 'expiredKey') await expire(context.identityDatabase, made.apiKey?.id ?? '');
    return made.keyString;
  };
  try {
    const keys: { [name in DemoKeyName]?: string | undefined } = { ...kept };
    for (const name of ['secretKey', 'restrictedKey', 'expiredKey'] as const) {
      keys[name] = await ensure(name);
      context.keep(keys);
    }
    const { secretKey = '', restrictedKey = '', expiredKey = '' } = keys;
    return { secretKey, restrictedKey, expiredKey };
  } finally {
    close();
  }
}

type ApiKeyRpc = ReturnType<typeof createGrpcClient<typeof apiKeyService>>['rpc'];

/** Deletes what an interrupted start made: nobody has its string. */
async function deleteLeftovers(rpc: ApiKeyRpc, businessId: number, name: string): Promise<void> {
  const { apiKeys } = await rpc.ListApiKeys({ businessId }, call);
  for (const leftover of apiKeys.filter((key) => key.name === name)) {
    await rpc.DeleteApiKey({ actor, businessId, apiKeyId: leftover.id }, call);
  }
}

/** No call makes a key that is expired from the start: its life is moved into the past. */
async function expire(database: pg.Client, id: string): Promise<void> {
  await database.query(
    `UPDATE api_keys SET created_at = now() - interval '30 days', expires_at = now() - interval '1 day' WHERE id = $1`,
    [id],
  );
}
