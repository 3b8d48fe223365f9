import type { canaryKeyService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import { z } from 'zod';
import {
  type CreateApiKeyDeps,
  createApiKey,
  type RotateApiKeyDeps,
  rotateApiKey,
  setApiKeyLimit,
} from './operations.ts';
import { settingsInput } from './settings.ts';

const takeRequest = z.object({
  businessId: z.int().min(1, 'must be the identifier of a business'),
  name: settingsInput.name,
  scopes: settingsInput.scopes,
  limit: z.int().min(0),
});

type Taking = z.output<typeof takeRequest>;

/** Handlers of identity.v1.CanaryKeyService. */
export function canaryKeyHandlers(
  deps: CreateApiKeyDeps & RotateApiKeyDeps,
): UnaryHandlers<typeof canaryKeyService> {
  return {
    TakeKey: async (request, { requestId }) => {
      const wanted = parseRequest(takeRequest, request);
      const actor = { kind: 'system', id: 'canary', clientIp: undefined, requestId } as const;
      const { key, keyString, propagation } = await take(deps, actor, wanted);
      const { businessId, limit } = wanted;
      if (limit > 0) await setApiKeyLimit(deps, { actor, businessId, apiKeyId: key.id, limit });
      return {
        apiKeyId: key.id,
        keyString,
        propagation: propagation === 'confirmed' ? 'PROPAGATION_CONFIRMED' : 'PROPAGATION_PENDING',
      };
    },
  };
}

async function take(
  deps: CreateApiKeyDeps & RotateApiKeyDeps,
  actor: Parameters<typeof createApiKey>[1]['actor'],
  { businessId, name, scopes }: Taking,
) {
  const keys = await deps.keys.list(businessId);
  const known = keys.find((key) => key.name === name && key.keyType === 'restricted');
  const change = { actor, businessId, isConfirmed: true };
  if (known !== undefined) return rotateApiKey(deps, { ...change, apiKeyId: known.id });
  const settings = { name, description: 'Measures the promises of this platform.', scopes };
  const input = { ...change, settings, keyType: 'restricted', expiresAt: undefined } as const;
  return { ...(await createApiKey(deps, input)), propagation: 'confirmed' as const };
}
