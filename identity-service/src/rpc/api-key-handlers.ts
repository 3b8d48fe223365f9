import type { apiKeyService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc-server.ts';
import { type CreateApiKeyDeps, createApiKey } from '../api-keys/create-api-key.ts';
import { deleteApiKey } from '../api-keys/delete-api-key.ts';
import { getApiKey } from '../api-keys/get-api-key.ts';
import { type RotateApiKeyDeps, rotateApiKey } from '../api-keys/rotate-api-key.ts';
import { setApiKeyLimit } from '../api-keys/set-api-key-limit.ts';
import { updateApiKey } from '../api-keys/update-api-key.ts';
import { toApiKeyMessage, toPropagationMessage } from './api-key-message.ts';
import {
  changeRequest,
  createRequest,
  getRequest,
  limitRequest,
  listRequest,
  updateRequest,
} from './api-key-requests.ts';
import { parseRequest } from './parse-request.ts';

/** identity.v1.ApiKeyService over the operations of api-keys/. */
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
