// Original file: /work/main/protos/identity/v1/origin.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ListAllowedOriginsRequest as _identity_v1_ListAllowedOriginsRequest, ListAllowedOriginsRequest__Output as _identity_v1_ListAllowedOriginsRequest__Output } from '../../identity/v1/ListAllowedOriginsRequest.ts';
import type { ListAllowedOriginsResponse as _identity_v1_ListAllowedOriginsResponse, ListAllowedOriginsResponse__Output as _identity_v1_ListAllowedOriginsResponse__Output } from '../../identity/v1/ListAllowedOriginsResponse.ts';

export interface OriginServiceClient extends grpc.Client {
  ListAllowedOrigins(argument: _identity_v1_ListAllowedOriginsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListAllowedOriginsResponse__Output>): grpc.ClientUnaryCall;
  ListAllowedOrigins(argument: _identity_v1_ListAllowedOriginsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListAllowedOriginsResponse__Output>): grpc.ClientUnaryCall;
  ListAllowedOrigins(argument: _identity_v1_ListAllowedOriginsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListAllowedOriginsResponse__Output>): grpc.ClientUnaryCall;
  ListAllowedOrigins(argument: _identity_v1_ListAllowedOriginsRequest, callback: grpc.requestCallback<_identity_v1_ListAllowedOriginsResponse__Output>): grpc.ClientUnaryCall;
  listAllowedOrigins(argument: _identity_v1_ListAllowedOriginsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListAllowedOriginsResponse__Output>): grpc.ClientUnaryCall;
  listAllowedOrigins(argument: _identity_v1_ListAllowedOriginsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListAllowedOriginsResponse__Output>): grpc.ClientUnaryCall;
  listAllowedOrigins(argument: _identity_v1_ListAllowedOriginsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListAllowedOriginsResponse__Output>): grpc.ClientUnaryCall;
  listAllowedOrigins(argument: _identity_v1_ListAllowedOriginsRequest, callback: grpc.requestCallback<_identity_v1_ListAllowedOriginsResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface OriginServiceHandlers extends grpc.UntypedServiceImplementation {
  ListAllowedOrigins: grpc.handleUnaryCall<_identity_v1_ListAllowedOriginsRequest__Output, _identity_v1_ListAllowedOriginsResponse>;
  
}

export interface OriginServiceDefinition extends grpc.ServiceDefinition {
  ListAllowedOrigins: MethodDefinition<_identity_v1_ListAllowedOriginsRequest, _identity_v1_ListAllowedOriginsResponse, _identity_v1_ListAllowedOriginsRequest__Output, _identity_v1_ListAllowedOriginsResponse__Output>
}
