import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { Actor as _identity_v1_Actor, Actor__Output as _identity_v1_Actor__Output } from './identity/v1/Actor.ts';
import type { ApiKey as _identity_v1_ApiKey, ApiKey__Output as _identity_v1_ApiKey__Output } from './identity/v1/ApiKey.ts';
import type { ApiKeyServiceClient as _identity_v1_ApiKeyServiceClient, ApiKeyServiceDefinition as _identity_v1_ApiKeyServiceDefinition } from './identity/v1/ApiKeyService.ts';
import type { Application as _identity_v1_Application, Application__Output as _identity_v1_Application__Output } from './identity/v1/Application.ts';
import type { ApplicationServiceClient as _identity_v1_ApplicationServiceClient, ApplicationServiceDefinition as _identity_v1_ApplicationServiceDefinition } from './identity/v1/ApplicationService.ts';
import type { ClientSecret as _identity_v1_ClientSecret, ClientSecret__Output as _identity_v1_ClientSecret__Output } from './identity/v1/ClientSecret.ts';
import type { CreateApiKeyRequest as _identity_v1_CreateApiKeyRequest, CreateApiKeyRequest__Output as _identity_v1_CreateApiKeyRequest__Output } from './identity/v1/CreateApiKeyRequest.ts';
import type { CreateApiKeyResponse as _identity_v1_CreateApiKeyResponse, CreateApiKeyResponse__Output as _identity_v1_CreateApiKeyResponse__Output } from './identity/v1/CreateApiKeyResponse.ts';
import type { CreateApplicationRequest as _identity_v1_CreateApplicationRequest, CreateApplicationRequest__Output as _identity_v1_CreateApplicationRequest__Output } from './identity/v1/CreateApplicationRequest.ts';
import type { CreateApplicationResponse as _identity_v1_CreateApplicationResponse, CreateApplicationResponse__Output as _identity_v1_CreateApplicationResponse__Output } from './identity/v1/CreateApplicationResponse.ts';
import type { DeleteApiKeyRequest as _identity_v1_DeleteApiKeyRequest, DeleteApiKeyRequest__Output as _identity_v1_DeleteApiKeyRequest__Output } from './identity/v1/DeleteApiKeyRequest.ts';
import type { DeleteApiKeyResponse as _identity_v1_DeleteApiKeyResponse, DeleteApiKeyResponse__Output as _identity_v1_DeleteApiKeyResponse__Output } from './identity/v1/DeleteApiKeyResponse.ts';
import type { DeleteApplicationRequest as _identity_v1_DeleteApplicationRequest, DeleteApplicationRequest__Output as _identity_v1_DeleteApplicationRequest__Output } from './identity/v1/DeleteApplicationRequest.ts';
import type { DeleteApplicationResponse as _identity_v1_DeleteApplicationResponse, DeleteApplicationResponse__Output as _identity_v1_DeleteApplicationResponse__Output } from './identity/v1/DeleteApplicationResponse.ts';
import type { DeleteClientSecretRequest as _identity_v1_DeleteClientSecretRequest, DeleteClientSecretRequest__Output as _identity_v1_DeleteClientSecretRequest__Output } from './identity/v1/DeleteClientSecretRequest.ts';
import type { DeleteClientSecretResponse as _identity_v1_DeleteClientSecretResponse, DeleteClientSecretResponse__Output as _identity_v1_DeleteClientSecretResponse__Output } from './identity/v1/DeleteClientSecretResponse.ts';
import type { DisconnectGrantRequest as _identity_v1_DisconnectGrantRequest, DisconnectGrantRequest__Output as _identity_v1_DisconnectGrantRequest__Output } from './identity/v1/DisconnectGrantRequest.ts';
import type { DisconnectGrantResponse as _identity_v1_DisconnectGrantResponse, DisconnectGrantResponse__Output as _identity_v1_DisconnectGrantResponse__Output } from './identity/v1/DisconnectGrantResponse.ts';
import type { GetApiKeyRequest as _identity_v1_GetApiKeyRequest, GetApiKeyRequest__Output as _identity_v1_GetApiKeyRequest__Output } from './identity/v1/GetApiKeyRequest.ts';
import type { GetApiKeyResponse as _identity_v1_GetApiKeyResponse, GetApiKeyResponse__Output as _identity_v1_GetApiKeyResponse__Output } from './identity/v1/GetApiKeyResponse.ts';
import type { GetApplicationRequest as _identity_v1_GetApplicationRequest, GetApplicationRequest__Output as _identity_v1_GetApplicationRequest__Output } from './identity/v1/GetApplicationRequest.ts';
import type { GetApplicationResponse as _identity_v1_GetApplicationResponse, GetApplicationResponse__Output as _identity_v1_GetApplicationResponse__Output } from './identity/v1/GetApplicationResponse.ts';
import type { Grant as _identity_v1_Grant, Grant__Output as _identity_v1_Grant__Output } from './identity/v1/Grant.ts';
import type { GrantServiceClient as _identity_v1_GrantServiceClient, GrantServiceDefinition as _identity_v1_GrantServiceDefinition } from './identity/v1/GrantService.ts';
import type { ListApiKeysRequest as _identity_v1_ListApiKeysRequest, ListApiKeysRequest__Output as _identity_v1_ListApiKeysRequest__Output } from './identity/v1/ListApiKeysRequest.ts';
import type { ListApiKeysResponse as _identity_v1_ListApiKeysResponse, ListApiKeysResponse__Output as _identity_v1_ListApiKeysResponse__Output } from './identity/v1/ListApiKeysResponse.ts';
import type { ListApplicationsRequest as _identity_v1_ListApplicationsRequest, ListApplicationsRequest__Output as _identity_v1_ListApplicationsRequest__Output } from './identity/v1/ListApplicationsRequest.ts';
import type { ListApplicationsResponse as _identity_v1_ListApplicationsResponse, ListApplicationsResponse__Output as _identity_v1_ListApplicationsResponse__Output } from './identity/v1/ListApplicationsResponse.ts';
import type { ListGrantsRequest as _identity_v1_ListGrantsRequest, ListGrantsRequest__Output as _identity_v1_ListGrantsRequest__Output } from './identity/v1/ListGrantsRequest.ts';
import type { ListGrantsResponse as _identity_v1_ListGrantsResponse, ListGrantsResponse__Output as _identity_v1_ListGrantsResponse__Output } from './identity/v1/ListGrantsResponse.ts';
import type { RotateApiKeyRequest as _identity_v1_RotateApiKeyRequest, RotateApiKeyRequest__Output as _identity_v1_RotateApiKeyRequest__Output } from './identity/v1/RotateApiKeyRequest.ts';
import type { RotateApiKeyResponse as _identity_v1_RotateApiKeyResponse, RotateApiKeyResponse__Output as _identity_v1_RotateApiKeyResponse__Output } from './identity/v1/RotateApiKeyResponse.ts';
import type { RotateClientSecretRequest as _identity_v1_RotateClientSecretRequest, RotateClientSecretRequest__Output as _identity_v1_RotateClientSecretRequest__Output } from './identity/v1/RotateClientSecretRequest.ts';
import type { RotateClientSecretResponse as _identity_v1_RotateClientSecretResponse, RotateClientSecretResponse__Output as _identity_v1_RotateClientSecretResponse__Output } from './identity/v1/RotateClientSecretResponse.ts';
import type { ScopeList as _identity_v1_ScopeList, ScopeList__Output as _identity_v1_ScopeList__Output } from './identity/v1/ScopeList.ts';
import type { SetApiKeyLimitRequest as _identity_v1_SetApiKeyLimitRequest, SetApiKeyLimitRequest__Output as _identity_v1_SetApiKeyLimitRequest__Output } from './identity/v1/SetApiKeyLimitRequest.ts';
import type { SetApiKeyLimitResponse as _identity_v1_SetApiKeyLimitResponse, SetApiKeyLimitResponse__Output as _identity_v1_SetApiKeyLimitResponse__Output } from './identity/v1/SetApiKeyLimitResponse.ts';
import type { SetConnectedUserLimitRequest as _identity_v1_SetConnectedUserLimitRequest, SetConnectedUserLimitRequest__Output as _identity_v1_SetConnectedUserLimitRequest__Output } from './identity/v1/SetConnectedUserLimitRequest.ts';
import type { SetConnectedUserLimitResponse as _identity_v1_SetConnectedUserLimitResponse, SetConnectedUserLimitResponse__Output as _identity_v1_SetConnectedUserLimitResponse__Output } from './identity/v1/SetConnectedUserLimitResponse.ts';
import type { StringList as _identity_v1_StringList, StringList__Output as _identity_v1_StringList__Output } from './identity/v1/StringList.ts';
import type { UpdateApiKeyRequest as _identity_v1_UpdateApiKeyRequest, UpdateApiKeyRequest__Output as _identity_v1_UpdateApiKeyRequest__Output } from './identity/v1/UpdateApiKeyRequest.ts';
import type { UpdateApiKeyResponse as _identity_v1_UpdateApiKeyResponse, UpdateApiKeyResponse__Output as _identity_v1_UpdateApiKeyResponse__Output } from './identity/v1/UpdateApiKeyResponse.ts';
import type { UpdateApplicationRequest as _identity_v1_UpdateApplicationRequest, UpdateApplicationRequest__Output as _identity_v1_UpdateApplicationRequest__Output } from './identity/v1/UpdateApplicationRequest.ts';
import type { UpdateApplicationResponse as _identity_v1_UpdateApplicationResponse, UpdateApplicationResponse__Output as _identity_v1_UpdateApplicationResponse__Output } from './identity/v1/UpdateApplicationResponse.ts';

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
      Application: MessageTypeDefinition<_identity_v1_Application, _identity_v1_Application__Output>
      ApplicationService: SubtypeConstructor<typeof grpc.Client, _identity_v1_ApplicationServiceClient> & { service: _identity_v1_ApplicationServiceDefinition }
      ClientSecret: MessageTypeDefinition<_identity_v1_ClientSecret, _identity_v1_ClientSecret__Output>
      CreateApiKeyRequest: MessageTypeDefinition<_identity_v1_CreateApiKeyRequest, _identity_v1_CreateApiKeyRequest__Output>
      CreateApiKeyResponse: MessageTypeDefinition<_identity_v1_CreateApiKeyResponse, _identity_v1_CreateApiKeyResponse__Output>
      CreateApplicationRequest: MessageTypeDefinition<_identity_v1_CreateApplicationRequest, _identity_v1_CreateApplicationRequest__Output>
      CreateApplicationResponse: MessageTypeDefinition<_identity_v1_CreateApplicationResponse, _identity_v1_CreateApplicationResponse__Output>
      DeleteApiKeyRequest: MessageTypeDefinition<_identity_v1_DeleteApiKeyRequest, _identity_v1_DeleteApiKeyRequest__Output>
      DeleteApiKeyResponse: MessageTypeDefinition<_identity_v1_DeleteApiKeyResponse, _identity_v1_DeleteApiKeyResponse__Output>
      DeleteApplicationRequest: MessageTypeDefinition<_identity_v1_DeleteApplicationRequest, _identity_v1_DeleteApplicationRequest__Output>
      DeleteApplicationResponse: MessageTypeDefinition<_identity_v1_DeleteApplicationResponse, _identity_v1_DeleteApplicationResponse__Output>
      DeleteClientSecretRequest: MessageTypeDefinition<_identity_v1_DeleteClientSecretRequest, _identity_v1_DeleteClientSecretRequest__Output>
      DeleteClientSecretResponse: MessageTypeDefinition<_identity_v1_DeleteClientSecretResponse, _identity_v1_DeleteClientSecretResponse__Output>
      DisconnectGrantRequest: MessageTypeDefinition<_identity_v1_DisconnectGrantRequest, _identity_v1_DisconnectGrantRequest__Output>
      DisconnectGrantResponse: MessageTypeDefinition<_identity_v1_DisconnectGrantResponse, _identity_v1_DisconnectGrantResponse__Output>
      GetApiKeyRequest: MessageTypeDefinition<_identity_v1_GetApiKeyRequest, _identity_v1_GetApiKeyRequest__Output>
      GetApiKeyResponse: MessageTypeDefinition<_identity_v1_GetApiKeyResponse, _identity_v1_GetApiKeyResponse__Output>
      GetApplicationRequest: MessageTypeDefinition<_identity_v1_GetApplicationRequest, _identity_v1_GetApplicationRequest__Output>
      GetApplicationResponse: MessageTypeDefinition<_identity_v1_GetApplicationResponse, _identity_v1_GetApplicationResponse__Output>
      Grant: MessageTypeDefinition<_identity_v1_Grant, _identity_v1_Grant__Output>
      GrantService: SubtypeConstructor<typeof grpc.Client, _identity_v1_GrantServiceClient> & { service: _identity_v1_GrantServiceDefinition }
      ListApiKeysRequest: MessageTypeDefinition<_identity_v1_ListApiKeysRequest, _identity_v1_ListApiKeysRequest__Output>
      ListApiKeysResponse: MessageTypeDefinition<_identity_v1_ListApiKeysResponse, _identity_v1_ListApiKeysResponse__Output>
      ListApplicationsRequest: MessageTypeDefinition<_identity_v1_ListApplicationsRequest, _identity_v1_ListApplicationsRequest__Output>
      ListApplicationsResponse: MessageTypeDefinition<_identity_v1_ListApplicationsResponse, _identity_v1_ListApplicationsResponse__Output>
      ListGrantsRequest: MessageTypeDefinition<_identity_v1_ListGrantsRequest, _identity_v1_ListGrantsRequest__Output>
      ListGrantsResponse: MessageTypeDefinition<_identity_v1_ListGrantsResponse, _identity_v1_ListGrantsResponse__Output>
      Propagation: EnumTypeDefinition
      RotateApiKeyRequest: MessageTypeDefinition<_identity_v1_RotateApiKeyRequest, _identity_v1_RotateApiKeyRequest__Output>
      RotateApiKeyResponse: MessageTypeDefinition<_identity_v1_RotateApiKeyResponse, _identity_v1_RotateApiKeyResponse__Output>
      RotateClientSecretRequest: MessageTypeDefinition<_identity_v1_RotateClientSecretRequest, _identity_v1_RotateClientSecretRequest__Output>
      RotateClientSecretResponse: MessageTypeDefinition<_identity_v1_RotateClientSecretResponse, _identity_v1_RotateClientSecretResponse__Output>
      ScopeList: MessageTypeDefinition<_identity_v1_ScopeList, _identity_v1_ScopeList__Output>
      SetApiKeyLimitRequest: MessageTypeDefinition<_identity_v1_SetApiKeyLimitRequest, _identity_v1_SetApiKeyLimitRequest__Output>
      SetApiKeyLimitResponse: MessageTypeDefinition<_identity_v1_SetApiKeyLimitResponse, _identity_v1_SetApiKeyLimitResponse__Output>
      SetConnectedUserLimitRequest: MessageTypeDefinition<_identity_v1_SetConnectedUserLimitRequest, _identity_v1_SetConnectedUserLimitRequest__Output>
      SetConnectedUserLimitResponse: MessageTypeDefinition<_identity_v1_SetConnectedUserLimitResponse, _identity_v1_SetConnectedUserLimitResponse__Output>
      StringList: MessageTypeDefinition<_identity_v1_StringList, _identity_v1_StringList__Output>
      UpdateApiKeyRequest: MessageTypeDefinition<_identity_v1_UpdateApiKeyRequest, _identity_v1_UpdateApiKeyRequest__Output>
      UpdateApiKeyResponse: MessageTypeDefinition<_identity_v1_UpdateApiKeyResponse, _identity_v1_UpdateApiKeyResponse__Output>
      UpdateApplicationRequest: MessageTypeDefinition<_identity_v1_UpdateApplicationRequest, _identity_v1_UpdateApplicationRequest__Output>
      UpdateApplicationResponse: MessageTypeDefinition<_identity_v1_UpdateApplicationResponse, _identity_v1_UpdateApplicationResponse__Output>
    }
  }
}

