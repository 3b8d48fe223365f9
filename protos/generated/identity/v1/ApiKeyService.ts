// Original file: /work/main/protos/identity/v1/api_key.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateApiKeyRequest as _identity_v1_CreateApiKeyRequest, CreateApiKeyRequest__Output as _identity_v1_CreateApiKeyRequest__Output } from '../../identity/v1/CreateApiKeyRequest.ts';
import type { CreateApiKeyResponse as _identity_v1_CreateApiKeyResponse, CreateApiKeyResponse__Output as _identity_v1_CreateApiKeyResponse__Output } from '../../identity/v1/CreateApiKeyResponse.ts';
import type { DeleteApiKeyRequest as _identity_v1_DeleteApiKeyRequest, DeleteApiKeyRequest__Output as _identity_v1_DeleteApiKeyRequest__Output } from '../../identity/v1/DeleteApiKeyRequest.ts';
import type { DeleteApiKeyResponse as _identity_v1_DeleteApiKeyResponse, DeleteApiKeyResponse__Output as _identity_v1_DeleteApiKeyResponse__Output } from '../../identity/v1/DeleteApiKeyResponse.ts';
import type { GetApiKeyRequest as _identity_v1_GetApiKeyRequest, GetApiKeyRequest__Output as _identity_v1_GetApiKeyRequest__Output } from '../../identity/v1/GetApiKeyRequest.ts';
import type { GetApiKeyResponse as _identity_v1_GetApiKeyResponse, GetApiKeyResponse__Output as _identity_v1_GetApiKeyResponse__Output } from '../../identity/v1/GetApiKeyResponse.ts';
import type { ListApiKeysRequest as _identity_v1_ListApiKeysRequest, ListApiKeysRequest__Output as _identity_v1_ListApiKeysRequest__Output } from '../../identity/v1/ListApiKeysRequest.ts';
import type { ListApiKeysResponse as _identity_v1_ListApiKeysResponse, ListApiKeysResponse__Output as _identity_v1_ListApiKeysResponse__Output } from '../../identity/v1/ListApiKeysResponse.ts';
import type { RotateApiKeyRequest as _identity_v1_RotateApiKeyRequest, RotateApiKeyRequest__Output as _identity_v1_RotateApiKeyRequest__Output } from '../../identity/v1/RotateApiKeyRequest.ts';
import type { RotateApiKeyResponse as _identity_v1_RotateApiKeyResponse, RotateApiKeyResponse__Output as _identity_v1_RotateApiKeyResponse__Output } from '../../identity/v1/RotateApiKeyResponse.ts';
import type { SetApiKeyLimitRequest as _identity_v1_SetApiKeyLimitRequest, SetApiKeyLimitRequest__Output as _identity_v1_SetApiKeyLimitRequest__Output } from '../../identity/v1/SetApiKeyLimitRequest.ts';
import type { SetApiKeyLimitResponse as _identity_v1_SetApiKeyLimitResponse, SetApiKeyLimitResponse__Output as _identity_v1_SetApiKeyLimitResponse__Output } from '../../identity/v1/SetApiKeyLimitResponse.ts';
import type { UpdateApiKeyRequest as _identity_v1_UpdateApiKeyRequest, UpdateApiKeyRequest__Output as _identity_v1_UpdateApiKeyRequest__Output } from '../../identity/v1/UpdateApiKeyRequest.ts';
import type { UpdateApiKeyResponse as _identity_v1_UpdateApiKeyResponse, UpdateApiKeyResponse__Output as _identity_v1_UpdateApiKeyResponse__Output } from '../../identity/v1/UpdateApiKeyResponse.ts';

export interface ApiKeyServiceClient extends grpc.Client {
  CreateApiKey(argument: _identity_v1_CreateApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CreateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  CreateApiKey(argument: _identity_v1_CreateApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_CreateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  CreateApiKey(argument: _identity_v1_CreateApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CreateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  CreateApiKey(argument: _identity_v1_CreateApiKeyRequest, callback: grpc.requestCallback<_identity_v1_CreateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  createApiKey(argument: _identity_v1_CreateApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CreateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  createApiKey(argument: _identity_v1_CreateApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_CreateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  createApiKey(argument: _identity_v1_CreateApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CreateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  createApiKey(argument: _identity_v1_CreateApiKeyRequest, callback: grpc.requestCallback<_identity_v1_CreateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteApiKey(argument: _identity_v1_DeleteApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteApiKeyResponse__Output>): grpc.ClientUnaryCall;
  DeleteApiKey(argument: _identity_v1_DeleteApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_DeleteApiKeyResponse__Output>): grpc.ClientUnaryCall;
  DeleteApiKey(argument: _identity_v1_DeleteApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteApiKeyResponse__Output>): grpc.ClientUnaryCall;
  DeleteApiKey(argument: _identity_v1_DeleteApiKeyRequest, callback: grpc.requestCallback<_identity_v1_DeleteApiKeyResponse__Output>): grpc.ClientUnaryCall;
  deleteApiKey(argument: _identity_v1_DeleteApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteApiKeyResponse__Output>): grpc.ClientUnaryCall;
  deleteApiKey(argument: _identity_v1_DeleteApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_DeleteApiKeyResponse__Output>): grpc.ClientUnaryCall;
  deleteApiKey(argument: _identity_v1_DeleteApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteApiKeyResponse__Output>): grpc.ClientUnaryCall;
  deleteApiKey(argument: _identity_v1_DeleteApiKeyRequest, callback: grpc.requestCallback<_identity_v1_DeleteApiKeyResponse__Output>): grpc.ClientUnaryCall;
  
  GetApiKey(argument: _identity_v1_GetApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetApiKeyResponse__Output>): grpc.ClientUnaryCall;
  GetApiKey(argument: _identity_v1_GetApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_GetApiKeyResponse__Output>): grpc.ClientUnaryCall;
  GetApiKey(argument: _identity_v1_GetApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetApiKeyResponse__Output>): grpc.ClientUnaryCall;
  GetApiKey(argument: _identity_v1_GetApiKeyRequest, callback: grpc.requestCallback<_identity_v1_GetApiKeyResponse__Output>): grpc.ClientUnaryCall;
  getApiKey(argument: _identity_v1_GetApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetApiKeyResponse__Output>): grpc.ClientUnaryCall;
  getApiKey(argument: _identity_v1_GetApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_GetApiKeyResponse__Output>): grpc.ClientUnaryCall;
  getApiKey(argument: _identity_v1_GetApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetApiKeyResponse__Output>): grpc.ClientUnaryCall;
  getApiKey(argument: _identity_v1_GetApiKeyRequest, callback: grpc.requestCallback<_identity_v1_GetApiKeyResponse__Output>): grpc.ClientUnaryCall;
  
  ListApiKeys(argument: _identity_v1_ListApiKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListApiKeysResponse__Output>): grpc.ClientUnaryCall;
  ListApiKeys(argument: _identity_v1_ListApiKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListApiKeysResponse__Output>): grpc.ClientUnaryCall;
  ListApiKeys(argument: _identity_v1_ListApiKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListApiKeysResponse__Output>): grpc.ClientUnaryCall;
  ListApiKeys(argument: _identity_v1_ListApiKeysRequest, callback: grpc.requestCallback<_identity_v1_ListApiKeysResponse__Output>): grpc.ClientUnaryCall;
  listApiKeys(argument: _identity_v1_ListApiKeysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListApiKeysResponse__Output>): grpc.ClientUnaryCall;
  listApiKeys(argument: _identity_v1_ListApiKeysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListApiKeysResponse__Output>): grpc.ClientUnaryCall;
  listApiKeys(argument: _identity_v1_ListApiKeysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListApiKeysResponse__Output>): grpc.ClientUnaryCall;
  listApiKeys(argument: _identity_v1_ListApiKeysRequest, callback: grpc.requestCallback<_identity_v1_ListApiKeysResponse__Output>): grpc.ClientUnaryCall;
  
  RotateApiKey(argument: _identity_v1_RotateApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RotateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  RotateApiKey(argument: _identity_v1_RotateApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RotateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  RotateApiKey(argument: _identity_v1_RotateApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RotateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  RotateApiKey(argument: _identity_v1_RotateApiKeyRequest, callback: grpc.requestCallback<_identity_v1_RotateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  rotateApiKey(argument: _identity_v1_RotateApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RotateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  rotateApiKey(argument: _identity_v1_RotateApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RotateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  rotateApiKey(argument: _identity_v1_RotateApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RotateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  rotateApiKey(argument: _identity_v1_RotateApiKeyRequest, callback: grpc.requestCallback<_identity_v1_RotateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  
  SetApiKeyLimit(argument: _identity_v1_SetApiKeyLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_SetApiKeyLimitResponse__Output>): grpc.ClientUnaryCall;
  SetApiKeyLimit(argument: _identity_v1_SetApiKeyLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_SetApiKeyLimitResponse__Output>): grpc.ClientUnaryCall;
  SetApiKeyLimit(argument: _identity_v1_SetApiKeyLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_SetApiKeyLimitResponse__Output>): grpc.ClientUnaryCall;
  SetApiKeyLimit(argument: _identity_v1_SetApiKeyLimitRequest, callback: grpc.requestCallback<_identity_v1_SetApiKeyLimitResponse__Output>): grpc.ClientUnaryCall;
  setApiKeyLimit(argument: _identity_v1_SetApiKeyLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_SetApiKeyLimitResponse__Output>): grpc.ClientUnaryCall;
  setApiKeyLimit(argument: _identity_v1_SetApiKeyLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_SetApiKeyLimitResponse__Output>): grpc.ClientUnaryCall;
  setApiKeyLimit(argument: _identity_v1_SetApiKeyLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_SetApiKeyLimitResponse__Output>): grpc.ClientUnaryCall;
  setApiKeyLimit(argument: _identity_v1_SetApiKeyLimitRequest, callback: grpc.requestCallback<_identity_v1_SetApiKeyLimitResponse__Output>): grpc.ClientUnaryCall;
  
  UpdateApiKey(argument: _identity_v1_UpdateApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_UpdateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  UpdateApiKey(argument: _identity_v1_UpdateApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_UpdateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  UpdateApiKey(argument: _identity_v1_UpdateApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_UpdateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  UpdateApiKey(argument: _identity_v1_UpdateApiKeyRequest, callback: grpc.requestCallback<_identity_v1_UpdateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  updateApiKey(argument: _identity_v1_UpdateApiKeyRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_UpdateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  updateApiKey(argument: _identity_v1_UpdateApiKeyRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_UpdateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  updateApiKey(argument: _identity_v1_UpdateApiKeyRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_UpdateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  updateApiKey(argument: _identity_v1_UpdateApiKeyRequest, callback: grpc.requestCallback<_identity_v1_UpdateApiKeyResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface ApiKeyServiceHandlers extends grpc.UntypedServiceImplementation {
  CreateApiKey: grpc.handleUnaryCall<_identity_v1_CreateApiKeyRequest__Output, _identity_v1_CreateApiKeyResponse>;
  
  DeleteApiKey: grpc.handleUnaryCall<_identity_v1_DeleteApiKeyRequest__Output, _identity_v1_DeleteApiKeyResponse>;
  
  GetApiKey: grpc.handleUnaryCall<_identity_v1_GetApiKeyRequest__Output, _identity_v1_GetApiKeyResponse>;
  
  ListApiKeys: grpc.handleUnaryCall<_identity_v1_ListApiKeysRequest__Output, _identity_v1_ListApiKeysResponse>;
  
  RotateApiKey: grpc.handleUnaryCall<_identity_v1_RotateApiKeyRequest__Output, _identity_v1_RotateApiKeyResponse>;
  
  SetApiKeyLimit: grpc.handleUnaryCall<_identity_v1_SetApiKeyLimitRequest__Output, _identity_v1_SetApiKeyLimitResponse>;
  
  UpdateApiKey: grpc.handleUnaryCall<_identity_v1_UpdateApiKeyRequest__Output, _identity_v1_UpdateApiKeyResponse>;
  
}

export interface ApiKeyServiceDefinition extends grpc.ServiceDefinition {
  CreateApiKey: MethodDefinition<_identity_v1_CreateApiKeyRequest, _identity_v1_CreateApiKeyResponse, _identity_v1_CreateApiKeyRequest__Output, _identity_v1_CreateApiKeyResponse__Output>
  DeleteApiKey: MethodDefinition<_identity_v1_DeleteApiKeyRequest, _identity_v1_DeleteApiKeyResponse, _identity_v1_DeleteApiKeyRequest__Output, _identity_v1_DeleteApiKeyResponse__Output>
  GetApiKey: MethodDefinition<_identity_v1_GetApiKeyRequest, _identity_v1_GetApiKeyResponse, _identity_v1_GetApiKeyRequest__Output, _identity_v1_GetApiKeyResponse__Output>
  ListApiKeys: MethodDefinition<_identity_v1_ListApiKeysRequest, _identity_v1_ListApiKeysResponse, _identity_v1_ListApiKeysRequest__Output, _identity_v1_ListApiKeysResponse__Output>
  RotateApiKey: MethodDefinition<_identity_v1_RotateApiKeyRequest, _identity_v1_RotateApiKeyResponse, _identity_v1_RotateApiKeyRequest__Output, _identity_v1_RotateApiKeyResponse__Output>
  SetApiKeyLimit: MethodDefinition<_identity_v1_SetApiKeyLimitRequest, _identity_v1_SetApiKeyLimitResponse, _identity_v1_SetApiKeyLimitRequest__Output, _identity_v1_SetApiKeyLimitResponse__Output>
  UpdateApiKey: MethodDefinition<_identity_v1_UpdateApiKeyRequest, _identity_v1_UpdateApiKeyResponse, _identity_v1_UpdateApiKeyRequest__Output, _identity_v1_UpdateApiKeyResponse__Output>
}
