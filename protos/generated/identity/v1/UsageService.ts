// Original file: /work/main/protos/identity/v1/usage.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { RecordRequestsRequest as _identity_v1_RecordRequestsRequest, RecordRequestsRequest__Output as _identity_v1_RecordRequestsRequest__Output } from '../../identity/v1/RecordRequestsRequest.ts';
import type { RecordRequestsResponse as _identity_v1_RecordRequestsResponse, RecordRequestsResponse__Output as _identity_v1_RecordRequestsResponse__Output } from '../../identity/v1/RecordRequestsResponse.ts';
import type { RecordUsageRequest as _identity_v1_RecordUsageRequest, RecordUsageRequest__Output as _identity_v1_RecordUsageRequest__Output } from '../../identity/v1/RecordUsageRequest.ts';
import type { RecordUsageResponse as _identity_v1_RecordUsageResponse, RecordUsageResponse__Output as _identity_v1_RecordUsageResponse__Output } from '../../identity/v1/RecordUsageResponse.ts';

export interface UsageServiceClient extends grpc.Client {
  RecordRequests(argument: _identity_v1_RecordRequestsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RecordRequestsResponse__Output>): grpc.ClientUnaryCall;
  RecordRequests(argument: _identity_v1_RecordRequestsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RecordRequestsResponse__Output>): grpc.ClientUnaryCall;
  RecordRequests(argument: _identity_v1_RecordRequestsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RecordRequestsResponse__Output>): grpc.ClientUnaryCall;
  RecordRequests(argument: _identity_v1_RecordRequestsRequest, callback: grpc.requestCallback<_identity_v1_RecordRequestsResponse__Output>): grpc.ClientUnaryCall;
  recordRequests(argument: _identity_v1_RecordRequestsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RecordRequestsResponse__Output>): grpc.ClientUnaryCall;
  recordRequests(argument: _identity_v1_RecordRequestsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RecordRequestsResponse__Output>): grpc.ClientUnaryCall;
  recordRequests(argument: _identity_v1_RecordRequestsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RecordRequestsResponse__Output>): grpc.ClientUnaryCall;
  recordRequests(argument: _identity_v1_RecordRequestsRequest, callback: grpc.requestCallback<_identity_v1_RecordRequestsResponse__Output>): grpc.ClientUnaryCall;
  
  RecordUsage(argument: _identity_v1_RecordUsageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RecordUsageResponse__Output>): grpc.ClientUnaryCall;
  RecordUsage(argument: _identity_v1_RecordUsageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RecordUsageResponse__Output>): grpc.ClientUnaryCall;
  RecordUsage(argument: _identity_v1_RecordUsageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RecordUsageResponse__Output>): grpc.ClientUnaryCall;
  RecordUsage(argument: _identity_v1_RecordUsageRequest, callback: grpc.requestCallback<_identity_v1_RecordUsageResponse__Output>): grpc.ClientUnaryCall;
  recordUsage(argument: _identity_v1_RecordUsageRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RecordUsageResponse__Output>): grpc.ClientUnaryCall;
  recordUsage(argument: _identity_v1_RecordUsageRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_identity_v1_RecordUsageResponse__Output>): grpc.ClientUnaryCall;
  recordUsage(argument: _identity_v1_RecordUsageRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_identity_v1_RecordUsageResponse__Output>): grpc.ClientUnaryCall;
  recordUsage(argument: _identity_v1_RecordUsageRequest, callback: grpc.requestCallback<_identity_v1_RecordUsageResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface UsageServiceHandlers extends grpc.UntypedServiceImplementation {
  RecordRequests: grpc.handleUnaryCall<_identity_v1_RecordRequestsRequest__Output, _identity_v1_RecordRequestsResponse>;
  
  RecordUsage: grpc.handleUnaryCall<_identity_v1_RecordUsageRequest__Output, _identity_v1_RecordUsageResponse>;
  
}

export interface UsageServiceDefinition extends grpc.ServiceDefinition {
  RecordRequests: MethodDefinition<_identity_v1_RecordRequestsRequest, _identity_v1_RecordRequestsResponse, _identity_v1_RecordRequestsRequest__Output, _identity_v1_RecordRequestsResponse__Output>
  RecordUsage: MethodDefinition<_identity_v1_RecordUsageRequest, _identity_v1_RecordUsageResponse, _identity_v1_RecordUsageRequest__Output, _identity_v1_RecordUsageResponse__Output>
}
