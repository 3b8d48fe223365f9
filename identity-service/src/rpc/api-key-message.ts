import type { ApiKeyMessage, Propagation as PropagationMessage } from '@platform/protos/identity';
import type { ApiKey } from '../api-keys/api-key.ts';
import type { Propagation } from '../generations/propagation.ts';

/** An API key as identity.v1 sends it. */
export function toApiKeyMessage(key: ApiKey): ApiKeyMessage {
  return {
    id: key.id,
    businessId: key.businessId,
    name: key.name,
    description: key.description,
    keyType: key.keyType === 'secret' ? 'API_KEY_TYPE_SECRET' : 'API_KEY_TYPE_RESTRICTED',
    scopes: [...key.scopes],
    status: key.status === 'active' ? 'API_KEY_STATUS_ACTIVE' : 'API_KEY_STATUS_EXPIRED',
    lastFour: key.lastFour,
    limit: key.limit,
    createdAtUnixMs: key.createdAt,
    expiresAtUnixMs: key.expiresAt ?? 0,
    lastUsedAtUnixMs: key.lastUsedAt ?? 0,
    lastUsedIp: key.lastUsedIp ?? '',
    rotatedAtUnixMs: key.rotatedAt ?? 0,
  };
}

/** A propagation as identity.v1 sends it. */
export function toPropagationMessage(propagation: Propagation): PropagationMessage {
  return propagation === 'confirmed' ? 'PROPAGATION_CONFIRMED' : 'PROPAGATION_PENDING';
}
