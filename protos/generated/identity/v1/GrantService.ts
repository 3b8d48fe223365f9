// Original file: /work/main/protos/identity/v1/application.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { DisconnectGrantRequest as _identity_v1_DisconnectGrantRequest, DisconnectGrantRequest__Output as _identity_v1_DisconnectGrantRequest__Output } from '../../identity/v1/DisconnectGrantRequest.ts';
import type { DisconnectGrantResponse as _identity_v1_DisconnectGrantResponse, DisconnectGrantResponse__Output as _identity_v1_DisconnectGrantResponse__Output } from '../../identity/v1/DisconnectGrantResponse.ts';
import type { ListGrantsRequest as _identity_v1_ListGrantsRequest, ListGrantsRequest__Output as _identity_v1_ListGrantsRequest__Output } from '../../identity/v1/ListGrantsRequest.ts';
import type { ListGrantsResponse as _identity_v1_ListGrantsResponse, ListGrantsResponse__Output as _identity_v1_ListGrantsResponse__Output } from '../../identity/v1/ListGrantsResponse.ts';

export interface GrantServiceClient extends grpc.Client {
  DisconnectGrant(argument: _identity_v1_DisconnectGrantRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DisconnectGrantResponse__Output>): grpc.ClientUnaryCall;
  DisconnectGrant(argument: _identity_v1_DisconnectGrantRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_DisconnectGrantResponse__Output>): grpc.ClientUnaryCall;
  DisconnectGrant(argument: _identity_v1_DisconnectGrantRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DisconnectGrantResponse__Output>): grpc.ClientUnaryCall;
  DisconnectGrant(argument: _identity_v1_DisconnectGrantRequest, callback: grpc.requestCallback<_identity_v1_DisconnectGrantResponse__Output>): grpc.ClientUnaryCall;
  disconnectGrant(argument: _identity_v1_DisconnectGrantRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DisconnectGrantResponse__Output>): grpc.ClientUnaryCall;
  disconnectGrant(argument: _identity_v1_DisconnectGrantRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_DisconnectGrantResponse__Output>): grpc.ClientUnaryCall;
  disconnectGrant(argument: _identity_v1_DisconnectGrantRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_DisconnectGrantResponse__Output>): grpc.ClientUnaryCall;
  disconnectGrant(argument: _identity_v1_DisconnectGrantRequest, callback: grpc.requestCallback<_identity_v1_DisconnectGrantResponse__Output>): grpc.ClientUnaryCall;
  
  ListGrants(argument: _identity_v1_ListGrantsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListGrantsResponse__Output>): grpc.ClientUnaryCall;
  ListGrants(argument: _identity_v1_ListGrantsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListGrantsResponse__Output>): grpc.ClientUnaryCall;
  ListGrants(argument: _identity_v1_ListGrantsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListGrantsResponse__Output>): grpc.ClientUnaryCall;
  ListGrants(argument: _identity_v1_ListGrantsRequest, callback: grpc.requestCallback<_identity_v1_ListGrantsResponse__Output>): grpc.ClientUnaryCall;
  listGrants(argument: _identity_v1_ListGrantsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListGrantsResponse__Output>): grpc.ClientUnaryCall;
  listGrants(argument: _identity_v1_ListGrantsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_ListGrantsResponse__Output>): grpc.ClientUnaryCall;
  listGrants(argument: _identity_v1_ListGrantsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_ListGrantsResponse__Output>): grpc.ClientUnaryCall;
  listGrants(argument: _identity_v1_ListGrantsRequest, callback: grpc.requestCallback<_identity_v1_ListGrantsResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface GrantServiceHandlers extends grpc.UntypedServiceImplementation {
  DisconnectGrant: grpc.handleUnaryCall<_identity_v1_DisconnectGrantRequest__Output, _identity_v1_DisconnectGrantResponse>;
  
  ListGrants: grpc.handleUnaryCall<_identity_v1_ListGrantsRequest__Output, _identity_v1_ListGrantsResponse>;
  
}

export interface GrantServiceDefinition extends grpc.ServiceDefinition {
  DisconnectGrant: MethodDefinition<_identity_v1_DisconnectGrantRequest, _identity_v1_DisconnectGrantResponse, _identity_v1_DisconnectGrantRequest__Output, _identity_v1_DisconnectGrantResponse__Output>
  ListGrants: MethodDefinition<_identity_v1_ListGrantsRequest, _identity_v1_ListGrantsResponse, _identity_v1_ListGrantsRequest__Output, _identity_v1_ListGrantsResponse__Output>
}
