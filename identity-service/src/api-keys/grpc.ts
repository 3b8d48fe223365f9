import type {
  ApiKeyMessage,
  apiKeyService,
  Propagation as PropagationMessage,
} from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { cutPage } from '@platform/service-kit/pagination.ts';
import { parseRequest } from '@platform/service-kit/validation.ts';
import { z } from 'zod';
import type { Propagation } from '../platform/credential-generations.ts';
import { actorOf, businessId, optionalInstant, settingsMask } from '../platform/grpc-requests.ts';
import { pageCursor, toCursor } from '../platform/pagination.ts';
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
import { type RequestedSettings, settingNames, settingsInput } from './settings.ts';

const allSettings = z.object(settingsInput);

const someSettings = allSettings.partial();

/** API key as a message of identity.v1. */
function toApiKeyMessage(key: ApiKey): ApiKeyMessage {
  return {
    id: key.id,
    businessId: key.businessId,
    settings: allSettings.parse(key),
    // Clients from before `settings` read these.
    name: key.name,
    description: key.description,
    scopes: [...key.scopes],
    keyType: key.keyType === 'secret' ? 'API_KEY_TYPE_SECRET' : 'API_KEY_TYPE_RESTRICTED',
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

const listRequest = z.object({
  businessId,
  limit: z.int().min(0).max(100),
  pageToken: z.preprocess((token) => token || undefined, pageCursor.optional()),
});

/** Fields of clients from before `settings`. */
const oldSettings = { name: true, description: true, scopes: true } as const;

const createRequest = (requestId: string) =>
  z
    .object({
      actor: actorOf(requestId),
      businessId,
      settings: allSettings.nullable(),
      ...allSettings.pick(oldSettings).shape,
      keyType,
      expiresAtUnixMs: optionalInstant,
    })
    .transform(({ settings, name, description, scopes, ...request }) => ({
      ...request,
      settings: settings ?? { name, description, scopes },
    }));

/** Takes from the settings what the mask names. @throws AppError for an unknown name */
const updateRequest = (requestId: string) =>
  z
    .object({
      ...changeFields(requestId),
      settings: allSettings.nullable(),
      updateMask: settingsMask(settingNames),
      ...allSettings.pick(oldSettings).exactPartial().shape,
      scopes: z.object({ scopes: settingsInput.scopes }).nullable(),
      // Any value is accepted here and then refused: these fields cannot be changed.
      keyType: z.unknown().optional(),
      expiresAtUnixMs: z.unknown().optional(),
    })
    .transform(
      ({ settings, updateMask, name, description, scopes, keyType, expiresAtUnixMs, ...change }) => ({
        ...change,
        update: {
          settings: { name, description, scopes: scopes?.scopes, ...named(settings, updateMask) },
          keyTypeGiven: keyType !== undefined,
          expirationGiven: expiresAtUnixMs !== undefined,
        },
      }),
    );

/** The settings that a mask names. */
function named(settings: RequestedSettings | null, mask: readonly (keyof RequestedSettings)[]) {
  return someSettings.parse(Object.fromEntries(mask.map((field) => [field, settings?.[field]])));
}

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
      const { key, keyString } = await createApiKey(deps, { ...input, expiresAt, isConfirmed: true });
      return { apiKey: toApiKeyMessage(key), keyString };
    },
    GetApiKey: async (request) => {
      const key = await getApiKey(deps, parseRequest(getRequest, request));
      return { apiKey: toApiKeyMessage(key) };
    },
    ListApiKeys: async (request) => {
      const { businessId, limit, pageToken } = parseRequest(listRequest, request);
      if (limit === 0) {
        const keys = await deps.keys.list(businessId);
        return { apiKeys: keys.map(toApiKeyMessage), nextPageToken: '' };
      }
      const { entries, last } = cutPage(await deps.keys.list(businessId, limit + 1, pageToken), limit);
      return {
        apiKeys: entries.map(toApiKeyMessage),
        nextPageToken: last === undefined ? '' : toCursor({ at: last.createdAt, id: last.id }),
      };
    },
    UpdateApiKey: async (request, { requestId }) => {
      const { key, propagation } = await updateApiKey(deps, parseRequest(updateRequest(requestId), request));
      return { apiKey: toApiKeyMessage(key), propagation: toPropagationMessage(propagation) };
    },
    RotateApiKey: async (request, { requestId }) => {
      const input = parseRequest(changeRequest(requestId), request);
      const { key, keyString, propagation } = await rotateApiKey(deps, { ...input, isConfirmed: true });
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
