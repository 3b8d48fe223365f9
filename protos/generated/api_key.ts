import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Actor as _identity_v1_Actor, Actor__Output as _identity_v1_Actor__Output } from './identity/v1/Actor.ts';
import type { ApiKey as _identity_v1_ApiKey, ApiKey__Output as _identity_v1_ApiKey__Output } from './identity/v1/ApiKey.ts';
import type { ApiKeyServiceClient as _identity_v1_ApiKeyServiceClient, ApiKeyServiceDefinition as _identity_v1_ApiKeyServiceDefinition } from './identity/v1/ApiKeyService.ts';
import type { CreateApiKeyRequest as _identity_v1_CreateApiKeyRequest, CreateApiKeyRequest__Output as _identity_v1_CreateApiKeyRequest__Output } from './identity/v1/CreateApiKeyRequest.ts';
import type { CreateApiKeyResponse as _identity_v1_CreateApiKeyResponse, CreateApiKeyResponse__Output as _identity_v1_CreateApiKeyResponse__Output } from './identity/v1/CreateApiKeyResponse.ts';
import type { DeleteApiKeyRequest as _identity_v1_DeleteApiKeyRequest, DeleteApiKeyRequest__Output as _identity_v1_DeleteApiKeyRequest__Output } from './identity/v1/DeleteApiKeyRequest.ts';
import type { DeleteApiKeyResponse as _identity_v1_DeleteApiKeyResponse, DeleteApiKeyResponse__Output as _identity_v1_DeleteApiKeyResponse__Output } from './identity/v1/DeleteApiKeyResponse.ts';
import type { GetApiKeyRequest as _identity_v1_GetApiKeyRequest, GetApiKeyRequest__Output as _identity_v1_GetApiKeyRequest__Output } from './identity/v1/GetApiKeyRequest.ts';
import type { GetApiKeyResponse as _identity_v1_GetApiKeyResponse, GetApiKeyResponse__Output as _identity_v1_GetApiKeyResponse__Output } from './identity/v1/GetApiKeyResponse.ts';
import type { ListApiKeysRequest as _identity_v1_ListApiKeysRequest, ListApiKeysRequest__Output as _identity_v1_ListApiKeysRequest__Output } from './identity/v1/ListApiKeysRequest.ts';
import type { ListApiKeysResponse as _identity_v1_ListApiKeysResponse, ListApiKeysResponse__Output as _identity_v1_ListApiKeysResponse__Output } from './identity/v1/ListApiKeysResponse.ts';
import type { RotateApiKeyRequest as _identity_v1_RotateApiKeyRequest, RotateApiKeyRequest__Output as _identity_v1_RotateApiKeyRequest__Output } from './identity/v1/RotateApiKeyRequest.ts';
import type { RotateApiKeyResponse as _identity_v1_RotateApiKeyResponse, RotateApiKeyResponse__Output as _identity_v1_RotateApiKeyResponse__Output } from './identity/v1/RotateApiKeyResponse.ts';
import type { ScopeList as _identity_v1_ScopeList, ScopeList__Output as _identity_v1_ScopeList__Output } from './identity/v1/ScopeList.ts';
import type { SetApiKeyLimitRequest as _identity_v1_SetApiKeyLimitRequest, SetApiKeyLimitRequest__Output as _identity_v1_SetApiKeyLimitRequest__Output } from './identity/v1/SetApiKeyLimitRequest.ts';
import type { SetApiKeyLimitResponse as _identity_v1_SetApiKeyLimitResponse, SetApiKeyLimitResponse__Output as _identity_v1_SetApiKeyLimitResponse__Output } from './identity/v1/SetApiKeyLimitResponse.ts';
import type { UpdateApiKeyRequest as _identity_v1_UpdateApiKeyRequest, UpdateApiKeyRequest__Output as _identity_v1_UpdateApiKeyRequest__Output } from './identity/v1/UpdateApiKeyRequest.ts';
import type { UpdateApiKeyResponse as _identity_v1_UpdateApiKeyResponse, UpdateApiKeyResponse__Output as _identity_v1_UpdateApiKeyResponse__Output } from './identity/v1/UpdateApiKeyResponse.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  identity: {
    v1: {
      Actor: MessageTypeDefinition<_identity_v1_Actor, _identity_v1_Actor__Output>
      ApiKey: MessageTypeDefinition<_identity_v1_ApiKey, _identity_v1_ApiKey__Output>
      ApiKeyService: SubtypeConstructor<typeof grpc.Client, _identity_v1_ApiKeyServiceClient> & { service: _identity_v1_ApiKeyServiceDefinition }
      ApiKeyStatus: EnumTypeDefinition
      ApiKeyType: EnumTypeDefinition
      CreateApiKeyRequest: MessageTypeDefinition<_identity_v1_CreateApiKeyRequest, _identity_v1_CreateApiKeyRequest__Output>
      CreateApiKeyResponse: MessageTypeDefinition<_identity_v1_CreateApiKeyResponse, _identity_v1_CreateApiKeyResponse__Output>
      DeleteApiKeyRequest: MessageTypeDefinition<_identity_v1_DeleteApiKeyRequest, _identity_v1_DeleteApiKeyRequest__Output>
      DeleteApiKeyResponse: MessageTypeDefinition<_identity_v1_DeleteApiKeyResponse, _identity_v1_DeleteApiKeyResponse__Output>
      GetApiKeyRequest: MessageTypeDefinition<_identity_v1_GetApiKeyRequest, _identity_v1_GetApiKeyRequest__Output>
      GetApiKeyResponse: MessageTypeDefinition<_identity_v1_GetApiKeyResponse, _identity_v1_GetApiKeyResponse__Output>
      ListApiKeysRequest: MessageTypeDefinition<_identity_v1_ListApiKeysRequest, _identity_v1_ListApiKeysRequest__Output>
      ListApiKeysResponse: MessageTypeDefinition<_identity_v1_ListApiKeysResponse, _identity_v1_ListApiKeysResponse__Output>
      Propagation: EnumTypeDefinition
      RotateApiKeyRequest: MessageTypeDefinition<_identity_v1_RotateApiKeyRequest, _identity_v1_RotateApiKeyRequest__Output>
      RotateApiKeyResponse: MessageTypeDefinition<_identity_v1_RotateApiKeyResponse, _identity_v1_RotateApiKeyResponse__Output>
      ScopeList: MessageTypeDefinition<_identity_v1_ScopeList, _identity_v1_ScopeList__Output>
      SetApiKeyLimitRequest: MessageTypeDefinition<_identity_v1_SetApiKeyLimitRequest, _identity_v1_SetApiKeyLimitRequest__Output>
      SetApiKeyLimitResponse: MessageTypeDefinition<_identity_v1_SetApiKeyLimitResponse, _identity_v1_SetApiKeyLimitResponse__Output>
      UpdateApiKeyRequest: MessageTypeDefinition<_identity_v1_UpdateApiKeyRequest, _identity_v1_UpdateApiKeyRequest__Output>
      UpdateApiKeyResponse: MessageTypeDefinition<_identity_v1_UpdateApiKeyResponse, _identity_v1_UpdateApiKeyResponse__Output>
    }
  }
}

