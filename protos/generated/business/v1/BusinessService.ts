// Original file: /work/main/protos/business/v1/business.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ApproveVerificationRequest as _business_v1_ApproveVerificationRequest, ApproveVerificationRequest__Output as _business_v1_ApproveVerificationRequest__Output } from '../../business/v1/ApproveVerificationRequest.ts';
import type { ApproveVerificationResponse as _business_v1_ApproveVerificationResponse, ApproveVerificationResponse__Output as _business_v1_ApproveVerificationResponse__Output } from '../../business/v1/ApproveVerificationResponse.ts';
import type { BanBusinessRequest as _business_v1_BanBusinessRequest, BanBusinessRequest__Output as _business_v1_BanBusinessRequest__Output } from '../../business/v1/BanBusinessRequest.ts';
import type { BanBusinessResponse as _business_v1_BanBusinessResponse, BanBusinessResponse__Output as _business_v1_BanBusinessResponse__Output } from '../../business/v1/BanBusinessResponse.ts';
import type { CreateBusinessRequest as _business_v1_CreateBusinessRequest, CreateBusinessRequest__Output as _business_v1_CreateBusinessRequest__Output } from '../../business/v1/CreateBusinessRequest.ts';
import type { CreateBusinessResponse as _business_v1_CreateBusinessResponse, CreateBusinessResponse__Output as _business_v1_CreateBusinessResponse__Output } from '../../business/v1/CreateBusinessResponse.ts';
import type { GetBusinessRequest as _business_v1_GetBusinessRequest, GetBusinessRequest__Output as _business_v1_GetBusinessRequest__Output } from '../../business/v1/GetBusinessRequest.ts';
import type { GetBusinessResponse as _business_v1_GetBusinessResponse, GetBusinessResponse__Output as _business_v1_GetBusinessResponse__Output } from '../../business/v1/GetBusinessResponse.ts';
import type { RejectVerificationRequest as _business_v1_RejectVerificationRequest, RejectVerificationRequest__Output as _business_v1_RejectVerificationRequest__Output } from '../../business/v1/RejectVerificationRequest.ts';
import type { RejectVerificationResponse as _business_v1_RejectVerificationResponse, RejectVerificationResponse__Output as _business_v1_RejectVerificationResponse__Output } from '../../business/v1/RejectVerificationResponse.ts';
import type { SubmitVerificationRequest as _business_v1_SubmitVerificationRequest, SubmitVerificationRequest__Output as _business_v1_SubmitVerificationRequest__Output } from '../../business/v1/SubmitVerificationRequest.ts';
import type { SubmitVerificationResponse as _business_v1_SubmitVerificationResponse, SubmitVerificationResponse__Output as _business_v1_SubmitVerificationResponse__Output } from '../../business/v1/SubmitVerificationResponse.ts';
import type { UnbanBusinessRequest as _business_v1_UnbanBusinessRequest, UnbanBusinessRequest__Output as _business_v1_UnbanBusinessRequest__Output } from '../../business/v1/UnbanBusinessRequest.ts';
import type { UnbanBusinessResponse as _business_v1_UnbanBusinessResponse, UnbanBusinessResponse__Output as _business_v1_UnbanBusinessResponse__Output } from '../../business/v1/UnbanBusinessResponse.ts';

export interface BusinessServiceClient extends grpc.Client {
  ApproveVerification(argument: _business_v1_ApproveVerificationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_ApproveVerificationResponse__Output>): grpc.ClientUnaryCall;
  ApproveVerification(argument: _business_v1_ApproveVerificationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_ApproveVerificationResponse__Output>): grpc.ClientUnaryCall;
  ApproveVerification(argument: _business_v1_ApproveVerificationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_ApproveVerificationResponse__Output>): grpc.ClientUnaryCall;
  ApproveVerification(argument: _business_v1_ApproveVerificationRequest, callback: grpc.requestCallback<_business_v1_ApproveVerificationResponse__Output>): grpc.ClientUnaryCall;
  approveVerification(argument: _business_v1_ApproveVerificationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_ApproveVerificationResponse__Output>): grpc.ClientUnaryCall;
  approveVerification(argument: _business_v1_ApproveVerificationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_ApproveVerificationResponse__Output>): grpc.ClientUnaryCall;
  approveVerification(argument: _business_v1_ApproveVerificationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_ApproveVerificationResponse__Output>): grpc.ClientUnaryCall;
  approveVerification(argument: _business_v1_ApproveVerificationRequest, callback: grpc.requestCallback<_business_v1_ApproveVerificationResponse__Output>): grpc.ClientUnaryCall;
  
  BanBusiness(argument: _business_v1_BanBusinessRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_BanBusinessResponse__Output>): grpc.ClientUnaryCall;
  BanBusiness(argument: _business_v1_BanBusinessRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_BanBusinessResponse__Output>): grpc.ClientUnaryCall;
  BanBusiness(argument: _business_v1_BanBusinessRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_BanBusinessResponse__Output>): grpc.ClientUnaryCall;
  BanBusiness(argument: _business_v1_BanBusinessRequest, callback: grpc.requestCallback<_business_v1_BanBusinessResponse__Output>): grpc.ClientUnaryCall;
  banBusiness(argument: _business_v1_BanBusinessRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_BanBusinessResponse__Output>): grpc.ClientUnaryCall;
  banBusiness(argument: _business_v1_BanBusinessRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_BanBusinessResponse__Output>): grpc.ClientUnaryCall;
  banBusiness(argument: _business_v1_BanBusinessRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_BanBusinessResponse__Output>): grpc.ClientUnaryCall;
  banBusiness(argument: _business_v1_BanBusinessRequest, callback: grpc.requestCallback<_business_v1_BanBusinessResponse__Output>): grpc.ClientUnaryCall;
  
  CreateBusiness(argument: _business_v1_CreateBusinessRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_CreateBusinessResponse__Output>): grpc.ClientUnaryCall;
  CreateBusiness(argument: _business_v1_CreateBusinessRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_CreateBusinessResponse__Output>): grpc.ClientUnaryCall;
  CreateBusiness(argument: _business_v1_CreateBusinessRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_CreateBusinessResponse__Output>): grpc.ClientUnaryCall;
  CreateBusiness(argument: _business_v1_CreateBusinessRequest, callback: grpc.requestCallback<_business_v1_CreateBusinessResponse__Output>): grpc.ClientUnaryCall;
  createBusiness(argument: _business_v1_CreateBusinessRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_CreateBusinessResponse__Output>): grpc.ClientUnaryCall;
  createBusiness(argument: _business_v1_CreateBusinessRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_CreateBusinessResponse__Output>): grpc.ClientUnaryCall;
  createBusiness(argument: _business_v1_CreateBusinessRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_CreateBusinessResponse__Output>): grpc.ClientUnaryCall;
  createBusiness(argument: _business_v1_CreateBusinessRequest, callback: grpc.requestCallback<_business_v1_CreateBusinessResponse__Output>): grpc.ClientUnaryCall;
  
  GetBusiness(argument: _business_v1_GetBusinessRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_GetBusinessResponse__Output>): grpc.ClientUnaryCall;
  GetBusiness(argument: _business_v1_GetBusinessRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_GetBusinessResponse__Output>): grpc.ClientUnaryCall;
  GetBusiness(argument: _business_v1_GetBusinessRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_GetBusinessResponse__Output>): grpc.ClientUnaryCall;
  GetBusiness(argument: _business_v1_GetBusinessRequest, callback: grpc.requestCallback<_business_v1_GetBusinessResponse__Output>): grpc.ClientUnaryCall;
  getBusiness(argument: _business_v1_GetBusinessRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_GetBusinessResponse__Output>): grpc.ClientUnaryCall;
  getBusiness(argument: _business_v1_GetBusinessRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_GetBusinessResponse__Output>): grpc.ClientUnaryCall;
  getBusiness(argument: _business_v1_GetBusinessRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_GetBusinessResponse__Output>): grpc.ClientUnaryCall;
  getBusiness(argument: _business_v1_GetBusinessRequest, callback: grpc.requestCallback<_business_v1_GetBusinessResponse__Output>): grpc.ClientUnaryCall;
  
  RejectVerification(argument: _business_v1_RejectVerificationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_RejectVerificationResponse__Output>): grpc.ClientUnaryCall;
  RejectVerification(argument: _business_v1_RejectVerificationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_RejectVerificationResponse__Output>): grpc.ClientUnaryCall;
  RejectVerification(argument: _business_v1_RejectVerificationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_RejectVerificationResponse__Output>): grpc.ClientUnaryCall;
  RejectVerification(argument: _business_v1_RejectVerificationRequest, callback: grpc.requestCallback<_business_v1_RejectVerificationResponse__Output>): grpc.ClientUnaryCall;
  rejectVerification(argument: _business_v1_RejectVerificationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_RejectVerificationResponse__Output>): grpc.ClientUnaryCall;
  rejectVerification(argument: _business_v1_RejectVerificationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_RejectVerificationResponse__Output>): grpc.ClientUnaryCall;
  rejectVerification(argument: _business_v1_RejectVerificationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_RejectVerificationResponse__Output>): grpc.ClientUnaryCall;
  rejectVerification(argument: _business_v1_RejectVerificationRequest, callback: grpc.requestCallback<_business_v1_RejectVerificationResponse__Output>): grpc.ClientUnaryCall;
  
  SubmitVerification(argument: _business_v1_SubmitVerificationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_SubmitVerificationResponse__Output>): grpc.ClientUnaryCall;
  SubmitVerification(argument: _business_v1_SubmitVerificationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_SubmitVerificationResponse__Output>): grpc.ClientUnaryCall;
  SubmitVerification(argument: _business_v1_SubmitVerificationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_SubmitVerificationResponse__Output>): grpc.ClientUnaryCall;
  SubmitVerification(argument: _business_v1_SubmitVerificationRequest, callback: grpc.requestCallback<_business_v1_SubmitVerificationResponse__Output>): grpc.ClientUnaryCall;
  submitVerification(argument: _business_v1_SubmitVerificationRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_SubmitVerificationResponse__Output>): grpc.ClientUnaryCall;
  submitVerification(argument: _business_v1_SubmitVerificationRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_SubmitVerificationResponse__Output>): grpc.ClientUnaryCall;
  submitVerification(argument: _business_v1_SubmitVerificationRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_SubmitVerificationResponse__Output>): grpc.ClientUnaryCall;
  submitVerification(argument: _business_v1_SubmitVerificationRequest, callback: grpc.requestCallback<_business_v1_SubmitVerificationResponse__Output>): grpc.ClientUnaryCall;
  
  UnbanBusiness(argument: _business_v1_UnbanBusinessRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_UnbanBusinessResponse__Output>): grpc.ClientUnaryCall;
  UnbanBusiness(argument: _business_v1_UnbanBusinessRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_UnbanBusinessResponse__Output>): grpc.ClientUnaryCall;
  UnbanBusiness(argument: _business_v1_UnbanBusinessRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_UnbanBusinessResponse__Output>): grpc.ClientUnaryCall;
  UnbanBusiness(argument: _business_v1_UnbanBusinessRequest, callback: grpc.requestCallback<_business_v1_UnbanBusinessResponse__Output>): grpc.ClientUnaryCall;
  unbanBusiness(argument: _business_v1_UnbanBusinessRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_UnbanBusinessResponse__Output>): grpc.ClientUnaryCall;
  unbanBusiness(argument: _business_v1_UnbanBusinessRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_business_v1_UnbanBusinessResponse__Output>): grpc.ClientUnaryCall;
  unbanBusiness(argument: _business_v1_UnbanBusinessRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_business_v1_UnbanBusinessResponse__Output>): grpc.ClientUnaryCall;
  unbanBusiness(argument: _business_v1_UnbanBusinessRequest, callback: grpc.requestCallback<_business_v1_UnbanBusinessResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface BusinessServiceHandlers extends grpc.UntypedServiceImplementation {
  ApproveVerification: grpc.handleUnaryCall<_business_v1_ApproveVerificationRequest__Output, _business_v1_ApproveVerificationResponse>;
  
  BanBusiness: grpc.handleUnaryCall<_business_v1_BanBusinessRequest__Output, _business_v1_BanBusinessResponse>;
  
  CreateBusiness: grpc.handleUnaryCall<_business_v1_CreateBusinessRequest__Output, _business_v1_CreateBusinessResponse>;
  
  GetBusiness: grpc.handleUnaryCall<_business_v1_GetBusinessRequest__Output, _business_v1_GetBusinessResponse>;
  
  RejectVerification: grpc.handleUnaryCall<_business_v1_RejectVerificationRequest__Output, _business_v1_RejectVerificationResponse>;
  
  SubmitVerification: grpc.handleUnaryCall<_business_v1_SubmitVerificationRequest__Output, _business_v1_SubmitVerificationResponse>;
  
  UnbanBusiness: grpc.handleUnaryCall<_business_v1_UnbanBusinessRequest__Output, _business_v1_UnbanBusinessResponse>;
  
}

export interface BusinessServiceDefinition extends grpc.ServiceDefinition {
  ApproveVerification: MethodDefinition<_business_v1_ApproveVerificationRequest, _business_v1_ApproveVerificationResponse, _business_v1_ApproveVerificationRequest__Output, _business_v1_ApproveVerificationResponse__Output>
  BanBusiness: MethodDefinition<_business_v1_BanBusinessRequest, _business_v1_BanBusinessResponse, _business_v1_BanBusinessRequest__Output, _business_v1_BanBusinessResponse__Output>
  CreateBusiness: MethodDefinition<_business_v1_CreateBusinessRequest, _business_v1_CreateBusinessResponse, _business_v1_CreateBusinessRequest__Output, _business_v1_CreateBusinessResponse__Output>
  GetBusiness: MethodDefinition<_business_v1_GetBusinessRequest, _business_v1_GetBusinessResponse, _business_v1_GetBusinessRequest__Output, _business_v1_GetBusinessResponse__Output>
  RejectVerification: MethodDefinition<_business_v1_RejectVerificationRequest, _business_v1_RejectVerificationResponse, _business_v1_RejectVerificationRequest__Output, _business_v1_RejectVerificationResponse__Output>
  SubmitVerification: MethodDefinition<_business_v1_SubmitVerificationRequest, _business_v1_SubmitVerificationResponse, _business_v1_SubmitVerificationRequest__Output, _business_v1_SubmitVerificationResponse__Output>
  UnbanBusiness: MethodDefinition<_business_v1_UnbanBusinessRequest, _business_v1_UnbanBusinessResponse, _business_v1_UnbanBusinessRequest__Output, _business_v1_UnbanBusinessResponse__Output>
}
