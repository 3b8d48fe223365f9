// Original file: /work/main/protos/identity/v1/application.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreateApplicationRequest as _identity_v1_CreateApplicationRequest, CreateApplicationRequest__Output as _identity_v1_CreateApplicationRequest__Output } from '../../identity/v1/CreateApplicationRequest.ts';
import type { CreateApplicationResponse as _identity_v1_CreateApplicationResponse, CreateApplicationResponse__Output as _identity_v1_CreateApplicationResponse__Output } from '../../identity/v1/CreateApplicationResponse.ts';
import type { DeleteApplicationRequest as _identity_v1_DeleteApplicationRequest, DeleteApplicationRequest__Output as _identity_v1_DeleteApplicationRequest__Output } from '../../identity/v1/DeleteApplicationRequest.ts';
import type { DeleteApplicationResponse as _identity_v1_DeleteApplicationResponse, DeleteApplicationResponse__Output as _identity_v1_DeleteApplicationResponse__Output } from '../../identity/v1/DeleteApplicationResponse.ts';
import type { DeleteClientSecretRequest as _identity_v1_DeleteClientSecretRequest, DeleteClientSecretRequest__Output as _identity_v1_DeleteClientSecretRequest__Output } from '../../identity/v1/DeleteClientSecretRequest.ts';
import type { DeleteClientSecretResponse as _identity_v1_DeleteClientSecretResponse, DeleteClientSecretResponse__Output as _identity_v1_DeleteClientSecretResponse__Output } from '../../identity/v1/DeleteClientSecretResponse.ts';
import type { GetApplicationRequest as _identity_v1_GetApplicationRequest, GetApplicationRequest__Output as _identity_v1_GetApplicationRequest__Output } from '../../identity/v1/GetApplicationRequest.ts';
import type { GetApplicationResponse as _identity_v1_GetApplicationResponse, GetApplicationResponse__Output as _identity_v1_GetApplicationResponse__Output } from '../../identity/v1/GetApplicationResponse.ts';
import type { ListApplicationsRequest as _identity_v1_ListApplicationsRequest, ListApplicationsRequest__Output as _identity_v1_ListApplicationsRequest__Output } from '../../identity/v1/ListApplicationsRequest.ts';
import type { ListApplicationsResponse as _identity_v1_ListApplicationsResponse, ListApplicationsResponse__Output as _identity_v1_ListApplicationsResponse__Output } from '../../identity/v1/ListApplicationsResponse.ts';
import type { RotateClientSecretRequest as _identity_v1_RotateClientSecretRequest, RotateClientSecretRequest__Output as _identity_v1_RotateClientSecretRequest__Output } from '../../identity/v1/RotateClientSecretRequest.ts';
import type { RotateClientSecretResponse as _identity_v1_RotateClientSecretResponse, RotateClientSecretResponse__Output as _identity_v1_RotateClientSecretResponse__Output } from '../../identity/v1/RotateClientSecretResponse.ts';
import type { SetConnectedUserLimitRequest as _identity_v1_SetConnectedUserLimitRequest, SetConnectedUserLimitRequest__Output as _identity_v1_SetConnectedUserLimitRequest__Output } from '../../identity/v1/SetConnectedUserLimitRequest.ts';
import type { SetConnectedUserLimitResponse as _identity_v1_SetConnectedUserLimitResponse, SetConnectedUserLimitResponse__Output as _identity_v1_SetConnectedUserLimitResponse__Output } from '../../identity/v1/SetConnectedUserLimitResponse.ts';
import type { UpdateApplicationRequest as _identity_v1_UpdateApplicationRequest, UpdateApplicationRequest__Output as _identity_v1_UpdateApplicationRequest__Output } from '../../identity/v1/UpdateApplicationRequest.ts';
import type { UpdateApplicationResponse as _identity_v1_UpdateApplicationResponse, UpdateApplicationResponse__Output as _identity_v1_UpdateApplicationResponse__Output } from '../../identity/v1/UpdateApplicationResponse.ts';

export interface ApplicationServiceClient extends grpc.Client {
  CreateApplication(argument: _identity_v1_CreateApplicationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CreateApplicationResponse__Output>): grpc.ClientUnaryCall;
  CreateApplication(argument: _identity_v1_CreateApplicationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_CreateApplicationResponse__Output>): grpc.ClientUnaryCall;
  CreateApplication(argument: _identity_v1_CreateApplicationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CreateApplicationResponse__Output>): grpc.ClientUnaryCall;
  CreateApplication(argument: _identity_v1_CreateApplicationRequest, callback: grpc.requestCallback<_identity_v1_CreateApplicationResponse__Output>): grpc.ClientUnaryCall;
  createApplication(argument: _identity_v1_CreateApplicationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CreateApplicationResponse__Output>): grpc.ClientUnaryCall;
  createApplication(argument: _identity_v1_CreateApplicationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_CreateApplicationResponse__Output>): grpc.ClientUnaryCall;
  createApplication(argument: _identity_v1_CreateApplicationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_CreateApplicationResponse__Output>): grpc.ClientUnaryCall;
  createApplication(argument: _identity_v1_CreateApplicationRequest, callback: grpc.requestCallback<_identity_v1_CreateApplicationResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteApplication(argument: _identity_v1_DeleteApplicationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteApplicationResponse__Output>): grpc.ClientUnaryCall;
  DeleteApplication(argument: _identity_v1_DeleteApplicationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_DeleteApplicationResponse__Output>): grpc.ClientUnaryCall;
  DeleteApplication(argument: _identity_v1_DeleteApplicationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteApplicationResponse__Output>): grpc.ClientUnaryCall;
  DeleteApplication(argument: _identity_v1_DeleteApplicationRequest, callback: grpc.requestCallback<_identity_v1_DeleteApplicationResponse__Output>): grpc.ClientUnaryCall;
  deleteApplication(argument: _identity_v1_DeleteApplicationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteApplicationResponse__Output>): grpc.ClientUnaryCall;
  deleteApplication(argument: _identity_v1_DeleteApplicationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_DeleteApplicationResponse__Output>): grpc.ClientUnaryCall;
  deleteApplication(argument: _identity_v1_DeleteApplicationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteApplicationResponse__Output>): grpc.ClientUnaryCall;
  deleteApplication(argument: _identity_v1_DeleteApplicationRequest, callback: grpc.requestCallback<_identity_v1_DeleteApplicationResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteClientSecret(argument: _identity_v1_DeleteClientSecretRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteClientSecretResponse__Output>): grpc.ClientUnaryCall;
  DeleteClientSecret(argument: _identity_v1_DeleteClientSecretRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_DeleteClientSecretResponse__Output>): grpc.ClientUnaryCall;
  DeleteClientSecret(argument: _identity_v1_DeleteClientSecretRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteClientSecretResponse__Output>): grpc.ClientUnaryCall;
  DeleteClientSecret(argument: _identity_v1_DeleteClientSecretRequest, callback: grpc.requestCallback<_identity_v1_DeleteClientSecretResponse__Output>): grpc.ClientUnaryCall;
  deleteClientSecret(argument: _identity_v1_DeleteClientSecretRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteClientSecretResponse__Output>): grpc.ClientUnaryCall;
  deleteClientSecret(argument: _identity_v1_DeleteClientSecretRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_DeleteClientSecretResponse__Output>): grpc.ClientUnaryCall;
  deleteClientSecret(argument: _identity_v1_DeleteClientSecretRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DeleteClientSecretResponse__Output>): grpc.ClientUnaryCall;
  deleteClientSecret(argument: _identity_v1_DeleteClientSecretRequest, callback: grpc.requestCallback<_identity_v1_DeleteClientSecretResponse__Output>): grpc.ClientUnaryCall;
  
  GetApplication(argument: _identity_v1_GetApplicationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetApplicationResponse__Output>): grpc.ClientUnaryCall;
  GetApplication(argument: _identity_v1_GetApplicationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_GetApplicationResponse__Output>): grpc.ClientUnaryCall;
  GetApplication(argument: _identity_v1_GetApplicationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetApplicationResponse__Output>): grpc.ClientUnaryCall;
  GetApplication(argument: _identity_v1_GetApplicationRequest, callback: grpc.requestCallback<_identity_v1_GetApplicationResponse__Output>): grpc.ClientUnaryCall;
  getApplication(argument: _identity_v1_GetApplicationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetApplicationResponse__Output>): grpc.ClientUnaryCall;
  getApplication(argument: _identity_v1_GetApplicationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_GetApplicationResponse__Output>): grpc.ClientUnaryCall;
  getApplication(argument: _identity_v1_GetApplicationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_GetApplicationResponse__Output>): grpc.ClientUnaryCall;
  getApplication(argument: _identity_v1_GetApplicationRequest, callback: grpc.requestCallback<_identity_v1_GetApplicationResponse__Output>): grpc.ClientUnaryCall;
  
  ListApplications(argument: _identity_v1_ListApplicationsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListApplicationsResponse__Output>): grpc.ClientUnaryCall;
  ListApplications(argument: _identity_v1_ListApplicationsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListApplicationsResponse__Output>): grpc.ClientUnaryCall;
  ListApplications(argument: _identity_v1_ListApplicationsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListApplicationsResponse__Output>): grpc.ClientUnaryCall;
  ListApplications(argument: _identity_v1_ListApplicationsRequest, callback: grpc.requestCallback<_identity_v1_ListApplicationsResponse__Output>): grpc.ClientUnaryCall;
  listApplications(argument: _identity_v1_ListApplicationsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListApplicationsResponse__Output>): grpc.ClientUnaryCall;
  listApplications(argument: _identity_v1_ListApplicationsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListApplicationsResponse__Output>): grpc.ClientUnaryCall;
  listApplications(argument: _identity_v1_ListApplicationsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListApplicationsResponse__Output>): grpc.ClientUnaryCall;
  listApplications(argument: _identity_v1_ListApplicationsRequest, callback: grpc.requestCallback<_identity_v1_ListApplicationsResponse__Output>): grpc.ClientUnaryCall;
  
  RotateClientSecret(argument: _identity_v1_RotateClientSecretRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RotateClientSecretResponse__Output>): grpc.ClientUnaryCall;
  RotateClientSecret(argument: _identity_v1_RotateClientSecretRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RotateClientSecretResponse__Output>): grpc.ClientUnaryCall;
  RotateClientSecret(argument: _identity_v1_RotateClientSecretRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RotateClientSecretResponse__Output>): grpc.ClientUnaryCall;
  RotateClientSecret(argument: _identity_v1_RotateClientSecretRequest, callback: grpc.requestCallback<_identity_v1_RotateClientSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateClientSecret(argument: _identity_v1_RotateClientSecretRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RotateClientSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateClientSecret(argument: _identity_v1_RotateClientSecretRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RotateClientSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateClientSecret(argument: _identity_v1_RotateClientSecretRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RotateClientSecretResponse__Output>): grpc.ClientUnaryCall;
  rotateClientSecret(argument: _identity_v1_RotateClientSecretRequest, callback: grpc.requestCallback<_identity_v1_RotateClientSecretResponse__Output>): grpc.ClientUnaryCall;
  
  SetConnectedUserLimit(argument: _identity_v1_SetConnectedUserLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_SetConnectedUserLimitResponse__Output>): grpc.ClientUnaryCall;
  SetConnectedUserLimit(argument: _identity_v1_SetConnectedUserLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_SetConnectedUserLimitResponse__Output>): grpc.ClientUnaryCall;
  SetConnectedUserLimit(argument: _identity_v1_SetConnectedUserLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_SetConnectedUserLimitResponse__Output>): grpc.ClientUnaryCall;
  SetConnectedUserLimit(argument: _identity_v1_SetConnectedUserLimitRequest, callback: grpc.requestCallback<_identity_v1_SetConnectedUserLimitResponse__Output>): grpc.ClientUnaryCall;
  setConnectedUserLimit(argument: _identity_v1_SetConnectedUserLimitRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_SetConnectedUserLimitResponse__Output>): grpc.ClientUnaryCall;
  setConnectedUserLimit(argument: _identity_v1_SetConnectedUserLimitRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_SetConnectedUserLimitResponse__Output>): grpc.ClientUnaryCall;
  setConnectedUserLimit(argument: _identity_v1_SetConnectedUserLimitRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_SetConnectedUserLimitResponse__Output>): grpc.ClientUnaryCall;
  setConnectedUserLimit(argument: _identity_v1_SetConnectedUserLimitRequest, callback: grpc.requestCallback<_identity_v1_SetConnectedUserLimitResponse__Output>): grpc.ClientUnaryCall;
  
  UpdateApplication(argument: _identity_v1_UpdateApplicationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_UpdateApplicationResponse__Output>): grpc.ClientUnaryCall;
  UpdateApplication(argument: _identity_v1_UpdateApplicationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_UpdateApplicationResponse__Output>): grpc.ClientUnaryCall;
  UpdateApplication(argument: _identity_v1_UpdateApplicationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_UpdateApplicationResponse__Output>): grpc.ClientUnaryCall;
  UpdateApplication(argument: _identity_v1_UpdateApplicationRequest, callback: grpc.requestCallback<_identity_v1_UpdateApplicationResponse__Output>): grpc.ClientUnaryCall;
  updateApplication(argument: _identity_v1_UpdateApplicationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_UpdateApplicationResponse__Output>): grpc.ClientUnaryCall;
  updateApplication(argument: _identity_v1_UpdateApplicationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_UpdateApplicationResponse__Output>): grpc.ClientUnaryCall;
  updateApplication(argument: _identity_v1_UpdateApplicationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_UpdateApplicationResponse__Output>): grpc.ClientUnaryCall;
  updateApplication(argument: _identity_v1_UpdateApplicationRequest, callback: grpc.requestCallback<_identity_v1_UpdateApplicationResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface ApplicationServiceHandlers extends grpc.UntypedServiceImplementation {
  CreateApplication: grpc.handleUnaryCall<_identity_v1_CreateApplicationRequest__Output, _identity_v1_CreateApplicationResponse>;
  
  DeleteApplication: grpc.handleUnaryCall<_identity_v1_DeleteApplicationRequest__Output, _identity_v1_DeleteApplicationResponse>;
  
  DeleteClientSecret: grpc.handleUnaryCall<_identity_v1_DeleteClientSecretRequest__Output, _identity_v1_DeleteClientSecretResponse>;
  
  GetApplication: grpc.handleUnaryCall<_identity_v1_GetApplicationRequest__Output, _identity_v1_GetApplicationResponse>;
  
  ListApplications: grpc.handleUnaryCall<_identity_v1_ListApplicationsRequest__Output, _identity_v1_ListApplicationsResponse>;
  
  RotateClientSecret: grpc.handleUnaryCall<_identity_v1_RotateClientSecretRequest__Output, _identity_v1_RotateClientSecretResponse>;
  
  SetConnectedUserLimit: grpc.handleUnaryCall<_identity_v1_SetConnectedUserLimitRequest__Output, _identity_v1_SetConnectedUserLimitResponse>;
  
  UpdateApplication: grpc.handleUnaryCall<_identity_v1_UpdateApplicationRequest__Output, _identity_v1_UpdateApplicationResponse>;
  
}

export interface ApplicationServiceDefinition extends grpc.ServiceDefinition {
  CreateApplication: MethodDefinition<_identity_v1_CreateApplicationRequest, _identity_v1_CreateApplicationResponse, _identity_v1_CreateApplicationRequest__Output, _identity_v1_CreateApplicationResponse__Output>
  DeleteApplication: MethodDefinition<_identity_v1_DeleteApplicationRequest, _identity_v1_DeleteApplicationResponse, _identity_v1_DeleteApplicationRequest__Output, _identity_v1_DeleteApplicationResponse__Output>
  DeleteClientSecret: MethodDefinition<_identity_v1_DeleteClientSecretRequest, _identity_v1_DeleteClientSecretResponse, _identity_v1_DeleteClientSecretRequest__Output, _identity_v1_DeleteClientSecretResponse__Output>
  GetApplication: MethodDefinition<_identity_v1_GetApplicationRequest, _identity_v1_GetApplicationResponse, _identity_v1_GetApplicationRequest__Output, _identity_v1_GetApplicationResponse__Output>
  ListApplications: MethodDefinition<_identity_v1_ListApplicationsRequest, _identity_v1_ListApplicationsResponse, _identity_v1_ListApplicationsRequest__Output, _identity_v1_ListApplicationsResponse__Output>
  RotateClientSecret: MethodDefinition<_identity_v1_RotateClientSecretRequest, _identity_v1_RotateClientSecretResponse, _identity_v1_RotateClientSecretRequest__Output, _identity_v1_RotateClientSecretResponse__Output>
  SetConnectedUserLimit: MethodDefinition<_identity_v1_SetConnectedUserLimitRequest, _identity_v1_SetConnectedUserLimitResponse, _identity_v1_SetConnectedUserLimitRequest__Output, _identity_v1_SetConnectedUserLimitResponse__Output>
  UpdateApplication: MethodDefinition<_identity_v1_UpdateApplicationRequest, _identity_v1_UpdateApplicationResponse, _identity_v1_UpdateApplicationRequest__Output, _identity_v1_UpdateApplicationResponse__Output>
}
