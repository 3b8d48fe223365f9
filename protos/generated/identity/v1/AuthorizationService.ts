// Original file: /work/main/protos/identity/v1/authorization.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { AuthorizeRequest as _identity_v1_AuthorizeRequest, AuthorizeRequest__Output as _identity_v1_AuthorizeRequest__Output } from '../../identity/v1/AuthorizeRequest.ts';
import type { AuthorizeResponse as _identity_v1_AuthorizeResponse, AuthorizeResponse__Output as _identity_v1_AuthorizeResponse__Output } from '../../identity/v1/AuthorizeResponse.ts';

export interface AuthorizationServiceClient extends grpc.Client {
  Authorize(argument: _identity_v1_AuthorizeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_AuthorizeResponse__Output>): grpc.ClientUnaryCall;
  Authorize(argument: _identity_v1_AuthorizeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_AuthorizeResponse__Output>): grpc.ClientUnaryCall;
  Authorize(argument: _identity_v1_AuthorizeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_AuthorizeResponse__Output>): grpc.ClientUnaryCall;
  Authorize(argument: _identity_v1_AuthorizeRequest, callback: grpc.requestCallback<_identity_v1_AuthorizeResponse__Output>): grpc.ClientUnaryCall;
  authorize(argument: _identity_v1_AuthorizeRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_AuthorizeResponse__Output>): grpc.ClientUnaryCall;
  authorize(argument: _identity_v1_AuthorizeRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_AuthorizeResponse__Output>): grpc.ClientUnaryCall;
  authorize(argument: _identity_v1_AuthorizeRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_AuthorizeResponse__Output>): grpc.ClientUnaryCall;
  authorize(argument: _identity_v1_AuthorizeRequest, callback: grpc.requestCallback<_identity_v1_AuthorizeResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface AuthorizationServiceHandlers extends grpc.UntypedServiceImplementation {
  Authorize: grpc.handleUnaryCall<_identity_v1_AuthorizeRequest__Output, _identity_v1_AuthorizeResponse>;
  
}

export interface AuthorizationServiceDefinition extends grpc.ServiceDefinition {
  Authorize: MethodDefinition<_identity_v1_AuthorizeRequest, _identity_v1_AuthorizeResponse, _identity_v1_AuthorizeRequest__Output, _identity_v1_AuthorizeResponse__Output>
}
