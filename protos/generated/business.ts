import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { ApproveVerificationRequest as _business_v1_ApproveVerificationRequest, ApproveVerificationRequest__Output as _business_v1_ApproveVerificationRequest__Output } from './business/v1/ApproveVerificationRequest.ts';
import type { ApproveVerificationResponse as _business_v1_ApproveVerificationResponse, ApproveVerificationResponse__Output as _business_v1_ApproveVerificationResponse__Output } from './business/v1/ApproveVerificationResponse.ts';
import type { BanBusinessRequest as _business_v1_BanBusinessRequest, BanBusinessRequest__Output as _business_v1_BanBusinessRequest__Output } from './business/v1/BanBusinessRequest.ts';
import type { BanBusinessResponse as _business_v1_BanBusinessResponse, BanBusinessResponse__Output as _business_v1_BanBusinessResponse__Output } from './business/v1/BanBusinessResponse.ts';
import type { Business as _business_v1_Business, Business__Output as _business_v1_Business__Output } from './business/v1/Business.ts';
import type { BusinessServiceClient as _business_v1_BusinessServiceClient, BusinessServiceDefinition as _business_v1_BusinessServiceDefinition } from './business/v1/BusinessService.ts';
import type { CreateBusinessRequest as _business_v1_CreateBusinessRequest, CreateBusinessRequest__Output as _business_v1_CreateBusinessRequest__Output } from './business/v1/CreateBusinessRequest.ts';
import type { CreateBusinessResponse as _business_v1_CreateBusinessResponse, CreateBusinessResponse__Output as _business_v1_CreateBusinessResponse__Output } from './business/v1/CreateBusinessResponse.ts';
import type { GetBusinessRequest as _business_v1_GetBusinessRequest, GetBusinessRequest__Output as _business_v1_GetBusinessRequest__Output } from './business/v1/GetBusinessRequest.ts';
import type { GetBusinessResponse as _business_v1_GetBusinessResponse, GetBusinessResponse__Output as _business_v1_GetBusinessResponse__Output } from './business/v1/GetBusinessResponse.ts';
import type { RejectVerificationRequest as _business_v1_RejectVerificationRequest, RejectVerificationRequest__Output as _business_v1_RejectVerificationRequest__Output } from './business/v1/RejectVerificationRequest.ts';
import type { RejectVerificationResponse as _business_v1_RejectVerificationResponse, RejectVerificationResponse__Output as _business_v1_RejectVerificationResponse__Output } from './business/v1/RejectVerificationResponse.ts';
import type { SubmitVerificationRequest as _business_v1_SubmitVerificationRequest, SubmitVerificationRequest__Output as _business_v1_SubmitVerificationRequest__Output } from './business/v1/SubmitVerificationRequest.ts';
import type { SubmitVerificationResponse as _business_v1_SubmitVerificationResponse, SubmitVerificationResponse__Output as _business_v1_SubmitVerificationResponse__Output } from './business/v1/SubmitVerificationResponse.ts';
import type { UnbanBusinessRequest as _business_v1_UnbanBusinessRequest, UnbanBusinessRequest__Output as _business_v1_UnbanBusinessRequest__Output } from './business/v1/UnbanBusinessRequest.ts';
import type { UnbanBusinessResponse as _business_v1_UnbanBusinessResponse, UnbanBusinessResponse__Output as _business_v1_UnbanBusinessResponse__Output } from './business/v1/UnbanBusinessResponse.ts';
import type { Verification as _business_v1_Verification, Verification__Output as _business_v1_Verification__Output } from './business/v1/Verification.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  business: {
    v1: {
      ApproveVerificationRequest: MessageTypeDefinition<_business_v1_ApproveVerificationRequest, _business_v1_ApproveVerificationRequest__Output>
      ApproveVerificationResponse: MessageTypeDefinition<_business_v1_ApproveVerificationResponse, _business_v1_ApproveVerificationResponse__Output>
      BanBusinessRequest: MessageTypeDefinition<_business_v1_BanBusinessRequest, _business_v1_BanBusinessRequest__Output>
      BanBusinessResponse: MessageTypeDefinition<_business_v1_BanBusinessResponse, _business_v1_BanBusinessResponse__Output>
      Business: MessageTypeDefinition<_business_v1_Business, _business_v1_Business__Output>
      BusinessService: SubtypeConstructor<typeof grpc.Client, _business_v1_BusinessServiceClient> & { service: _business_v1_BusinessServiceDefinition }
      CreateBusinessRequest: MessageTypeDefinition<_business_v1_CreateBusinessRequest, _business_v1_CreateBusinessRequest__Output>
      CreateBusinessResponse: MessageTypeDefinition<_business_v1_CreateBusinessResponse, _business_v1_CreateBusinessResponse__Output>
      GetBusinessRequest: MessageTypeDefinition<_business_v1_GetBusinessRequest, _business_v1_GetBusinessRequest__Output>
      GetBusinessResponse: MessageTypeDefinition<_business_v1_GetBusinessResponse, _business_v1_GetBusinessResponse__Output>
      RejectVerificationRequest: MessageTypeDefinition<_business_v1_RejectVerificationRequest, _business_v1_RejectVerificationRequest__Output>
      RejectVerificationResponse: MessageTypeDefinition<_business_v1_RejectVerificationResponse, _business_v1_RejectVerificationResponse__Output>
      SubmitVerificationRequest: MessageTypeDefinition<_business_v1_SubmitVerificationRequest, _business_v1_SubmitVerificationRequest__Output>
      SubmitVerificationResponse: MessageTypeDefinition<_business_v1_SubmitVerificationResponse, _business_v1_SubmitVerificationResponse__Output>
      UnbanBusinessRequest: MessageTypeDefinition<_business_v1_UnbanBusinessRequest, _business_v1_UnbanBusinessRequest__Output>
      UnbanBusinessResponse: MessageTypeDefinition<_business_v1_UnbanBusinessResponse, _business_v1_UnbanBusinessResponse__Output>
      Verification: MessageTypeDefinition<_business_v1_Verification, _business_v1_Verification__Output>
      VerificationStatus: EnumTypeDefinition
    }
  }
}

