import { checkedTokenPrefix } from '@platform/service-kit/secrets/checked-token.ts';
import { createApiKey, deleteApiKey } from '../../../identity-service/src/credentials/api-keys/operations.ts';
import { actor, type DemoFile, type SeedContext } from './context.ts';
import { send } from './pages.ts';
import { backdateKey, insertExpiryNotices } from './past.ts';

export type DemoKeyName = 'secretKey' | 'restrictedKey' | 'expiredKey';

export const demoKeys = {
  secretKey: { name: 'Demo: full access', keyType: 'secret', scopes: [] },
  restrictedKey: {
    name: 'Demo: reads the business',
    keyType: 'restricted',
    scopes: ['business:read'],
  },
  expiredKey: { name: 'Demo: expired', keyType: 'secret', scopes: [] },
} as const;
const dayMs = 86_400_000;

/** Days since the two current keys replaced the one that expired yesterday. */
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
  const { acts } = context;
  const ensure = async (key: DemoKeyName): Promise<string> => {
    const known = context.kept[key];
    if (known !== undefined && (await isUsable(key, known, context.gatewayUrl))) return known;
    if (known === undefined) await deleteNamed(acts, businessId, demoKeys[key].name);
    const expiresAt = key === 'expiredKey' ? Date.now() + expiredKeyDays.life * dayMs : undefined;
    const { name, keyType, scopes } = demoKeys[key];
    const settings = { name, scopes: [...scopes], description: 'Made by npm start' };
    const input = { actor, businessId, expiresAt, keyType, settings, isConfirmed: true };
    const made = await createApiKey(acts, input);
    await age(context, key, made.key.id, isFirst);
    context.keep({ [key]: made.keyString });
    return made.keyString;
  };
  // In the order of their creation times, so that the audit log is in order.
  const expiredKey = await ensure('expiredKey');
  const secretKey = await ensure('secretKey');
  return { secretKey, restrictedKey: await ensure('restrictedKey'), expiredKey };
}

/** Deletes the key of an interrupted start, because its string is lost. */
async function deleteNamed(acts: SeedContext['acts'], businessId: number, wantedName: string): Promise<void> {
  for (const { id: apiKeyId, name } of await acts.keys.list(businessId)) {
    if (name === wantedName) await deleteApiKey(acts, { actor, businessId, apiKeyId });
  }
}

/** Whether the gateway accepts a key; the expired one need only have the form of today. */
async function isUsable(key: DemoKeyName, known: string, gatewayUrl: string): Promise<boolean> {
  if (key === 'expiredKey') return checkedTokenPrefix(known) !== undefined;
  const headers = { Authorization: `Bearer ${known}` };
  const { status } = await send(`${gatewayUrl}/v2/businesses/me`, { headers });
  return status !== 401;
}

/** Moves a key into the past, which no operation can do. */
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
