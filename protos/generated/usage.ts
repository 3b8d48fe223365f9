import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { AddressCount as _identity_v1_AddressCount, AddressCount__Output as _identity_v1_AddressCount__Output } from './identity/v1/AddressCount.ts';
import type { AuthorizationServiceClient as _identity_v1_AuthorizationServiceClient, AuthorizationServiceDefinition as _identity_v1_AuthorizationServiceDefinition } from './identity/v1/AuthorizationService.ts';
import type { AuthorizeRequest as _identity_v1_AuthorizeRequest, AuthorizeRequest__Output as _identity_v1_AuthorizeRequest__Output } from './identity/v1/AuthorizeRequest.ts';
import type { AuthorizeResponse as _identity_v1_AuthorizeResponse, AuthorizeResponse__Output as _identity_v1_AuthorizeResponse__Output } from './identity/v1/AuthorizeResponse.ts';
import type { EndpointCount as _identity_v1_EndpointCount, EndpointCount__Output as _identity_v1_EndpointCount__Output } from './identity/v1/EndpointCount.ts';
import type { Principal as _identity_v1_Principal, Principal__Output as _identity_v1_Principal__Output } from './identity/v1/Principal.ts';
import type { RecordRequestsRequest as _identity_v1_RecordRequestsRequest, RecordRequestsRequest__Output as _identity_v1_RecordRequestsRequest__Output } from './identity/v1/RecordRequestsRequest.ts';
import type { RecordRequestsResponse as _identity_v1_RecordRequestsResponse, RecordRequestsResponse__Output as _identity_v1_RecordRequestsResponse__Output } from './identity/v1/RecordRequestsResponse.ts';
import type { RecordUsageRequest as _identity_v1_RecordUsageRequest, RecordUsageRequest__Output as _identity_v1_RecordUsageRequest__Output } from './identity/v1/RecordUsageRequest.ts';
import type { RecordUsageResponse as _identity_v1_RecordUsageResponse, RecordUsageResponse__Output as _identity_v1_RecordUsageResponse__Output } from './identity/v1/RecordUsageResponse.ts';
import type { RequestRecord as _identity_v1_RequestRecord, RequestRecord__Output as _identity_v1_RequestRecord__Output } from './identity/v1/RequestRecord.ts';
import type { UsageCount as _identity_v1_UsageCount, UsageCount__Output as _identity_v1_UsageCount__Output } from './identity/v1/UsageCount.ts';
import type { UsageServiceClient as _identity_v1_UsageServiceClient, UsageServiceDefinition as _identity_v1_UsageServiceDefinition } from './identity/v1/UsageService.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  identity: {
    v1: {
      AddressCount: MessageTypeDefinition<_identity_v1_AddressCount, _identity_v1_AddressCount__Output>
      AuthorizationService: SubtypeConstructor<typeof grpc.Client, _identity_v1_AuthorizationServiceClient> & { service: _identity_v1_AuthorizationServiceDefinition }
      AuthorizeRequest: MessageTypeDefinition<_identity_v1_AuthorizeRequest, _identity_v1_AuthorizeRequest__Output>
      AuthorizeResponse: MessageTypeDefinition<_identity_v1_AuthorizeResponse, _identity_v1_AuthorizeResponse__Output>
      CredentialType: EnumTypeDefinition
      EndpointCount: MessageTypeDefinition<_identity_v1_EndpointCount, _identity_v1_EndpointCount__Output>
      Outcome: EnumTypeDefinition
      Principal: MessageTypeDefinition<_identity_v1_Principal, _identity_v1_Principal__Output>
      RecordRequestsRequest: MessageTypeDefinition<_identity_v1_RecordRequestsRequest, _identity_v1_RecordRequestsRequest__Output>
      RecordRequestsResponse: MessageTypeDefinition<_identity_v1_RecordRequestsResponse, _identity_v1_RecordRequestsResponse__Output>
      RecordUsageRequest: MessageTypeDefinition<_identity_v1_RecordUsageRequest, _identity_v1_RecordUsageRequest__Output>
      RecordUsageResponse: MessageTypeDefinition<_identity_v1_RecordUsageResponse, _identity_v1_RecordUsageResponse__Output>
      RequestRecord: MessageTypeDefinition<_identity_v1_RequestRecord, _identity_v1_RequestRecord__Output>
      UsageCount: MessageTypeDefinition<_identity_v1_UsageCount, _identity_v1_UsageCount__Output>
      UsageService: SubtypeConstructor<typeof grpc.Client, _identity_v1_UsageServiceClient> & { service: _identity_v1_UsageServiceDefinition }
    }
  }
}

