import type { Propagate, Propagation } from '../../platform/credential-generations.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import { removeKeys } from './operations.ts';
import type { ApiKeyStore } from './store.ts';

export interface SelfRevokeDeps {
  readonly keys: ApiKeyStore;
  readonly hasher: Pick<SecretHasher, 'candidates'>;
  readonly propagate: Propagate;
}

interface SelfRevokeInput {
  /** The key string that was sent. */
  readonly keyString: string;
  readonly clientIp: string;
  readonly requestId: string;
}

/**
 * Deletes the key of a string, as an owner would. Also while the key or its business is frozen: who holds a leaked key may
 * always end it. A key that has expired is left to its owners.
 */
export async function selfRevoke(
  { keys, hasher, propagate }: SelfRevokeDeps,
  { keyString, clientIp, requestId }: SelfRevokeInput,
): Promise<Propagation | 'unknown' | 'expired'> {
  const hashes = hasher.candidates(keyString);
  const raised = await keys.inTransaction(async (transaction) => {
    const key = await transaction.lockByHash(hashes);
    if (key === undefined) return 'unknown';
    if (key.status === 'expired') return 'expired';
    const { id, businessId } = key;
    const actor = { kind: 'system', id: 'api-key', clientIp, requestId } as const;
    await removeKeys(transaction, { actor, businessId, apiKeyIds: [id], cause: 'self' });
    return { businessId, generation: await transaction.raiseGeneration(businessId) };
  });
  return typeof raised === 'string' ? raised : propagate([raised]);
}
