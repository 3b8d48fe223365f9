import type {
  ApiKeyMessage,
  apiKeyService,
  Propagation as PropagationMessage,
} from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/validation.ts';
import { z } from 'zod';
import type { Propagation } from '../platform/credential-generations.ts';
import { actorOf, businessId, optionalInstant } from '../platform/grpc-requests.ts';
import type { ApiKey } from './api-key.ts';
import {
  type CreateApiKeyDeps,
  createApiKey,
  deleteApiKey,
  getApiKey,
  type RotateApiKeyDeps,
  rotateApiKey,
  setApiKeyLimit,
  updateApiKey,
} from './operations.ts';

/** API key as a message of identity.v1. */
function toApiKeyMessage(key: ApiKey): ApiKeyMessage {
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

/** Propagation as an enum of identity.v1. */
export function toPropagationMessage(propagation: Propagation): PropagationMessage {
  return propagation === 'confirmed' ? 'PROPAGATION_CONFIRMED' : 'PROPAGATION_PENDING';
}

const keyType = z
  .enum(['API_KEY_TYPE_SECRET', 'API_KEY_TYPE_RESTRICTED'], 'must be secret or restricted')
  .transform((type) => (type === 'API_KEY_TYPE_SECRET' ? ('secret' as const) : ('restricted' as const)));

/** Fields that identify one key. */
const reference = {
  businessId,
  apiKeyId: z.string().regex(/^key_[0-9a-f]{24}$/, 'must be the identifier of an API key'),
};

const getRequest = z.object(reference);

const listRequest = z.object({ businessId });

const createRequest = (requestId: string) =>
  z.object({
    actor: actorOf(requestId),
    businessId,
    name: z.string(),
    description: z.string(),
    keyType,
    scopes: z.array(z.string()),
    expiresAtUnixMs: optionalInstant,
  });

const updateRequest = (requestId: string) =>
  z.object({
    ...changeFields(requestId),
    name: z.string().optional(),
    description: z.string().optional(),
    scopes: z.object({ scopes: z.array(z.string()) }).nullable(),
    // Any value is accepted here and then refused: these fields cannot be changed.
    keyType: z.unknown().optional(),
    expiresAtUnixMs: z.unknown().optional(),
  });

/** Request of rotation and deletion. */
const changeRequest = (requestId: string) => z.object(changeFields(requestId));

const limitRequest = (requestId: string) => z.object({ ...changeFields(requestId), limit: z.number() });

function changeFields(requestId: string) {
  return { actor: actorOf(requestId), ...reference };
}

/** Handlers of identity.v1.ApiKeyService. */
export function apiKeyHandlers(
  deps: CreateApiKeyDeps & RotateApiKeyDeps,
): UnaryHandlers<typeof apiKeyService> {
  return {
    CreateApiKey: async (request, { requestId }) => {
      const { expiresAtUnixMs: expiresAt, ...input } = parseRequest(createRequest(requestId), request);
      const { key, keyString } = await createApiKey(deps, { ...input, expiresAt });
      return { apiKey: toApiKeyMessage(key), keyString };
    },
    GetApiKey: async (request) => {
      const key = await getApiKey(deps, parseRequest(getRequest, request));
      return { apiKey: toApiKeyMessage(key) };
    },
    ListApiKeys: async (request) => {
      const { businessId } = parseRequest(listRequest, request);
      const keys = await deps.keys.list(businessId);
      return { apiKeys: keys.map(toApiKeyMessage) };
    },
    UpdateApiKey: async (request, { requestId }) => {
      const { actor, businessId, apiKeyId, ...fields } = parseRequest(updateRequest(requestId), request);
      const update = {
        name: fields.name,
        description: fields.description,
        scopes: fields.scopes?.scopes,
        keyTypeGiven: fields.keyType !== undefined,
        expirationGiven: fields.expiresAtUnixMs !== undefined,
      };
      const { key, propagation } = await updateApiKey(deps, { actor, businessId, apiKeyId, update });
      return { apiKey: toApiKeyMessage(key), propagation: toPropagationMessage(propagation) };
    },
    RotateApiKey: async (request, { requestId }) => {
      const input = parseRequest(changeRequest(requestId), request);
      const { key, keyString, propagation } = await rotateApiKey(deps, input);
      return { apiKey: toApiKeyMessage(key), keyString, propagation: toPropagationMessage(propagation) };
    },
    DeleteApiKey: async (request, { requestId }) => {
      const propagation = await deleteApiKey(deps, parseRequest(changeRequest(requestId), request));
      return { propagation: toPropagationMessage(propagation) };
    },
    SetApiKeyLimit: async (request, { requestId }) => {
      const { key, propagation } = await setApiKeyLimit(deps, parseRequest(limitRequest(requestId), request));
      return { apiKey: toApiKeyMessage(key), propagation: toPropagationMessage(propagation) };
    },
  };
}
