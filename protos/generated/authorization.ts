import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { AuthorizationServiceClient as _identity_v1_AuthorizationServiceClient, AuthorizationServiceDefinition as _identity_v1_AuthorizationServiceDefinition } from './identity/v1/AuthorizationService.ts';
import type { AuthorizeRequest as _identity_v1_AuthorizeRequest, AuthorizeRequest__Output as _identity_v1_AuthorizeRequest__Output } from './identity/v1/AuthorizeRequest.ts';
import type { AuthorizeResponse as _identity_v1_AuthorizeResponse, AuthorizeResponse__Output as _identity_v1_AuthorizeResponse__Output } from './identity/v1/AuthorizeResponse.ts';
import type { Principal as _identity_v1_Principal, Principal__Output as _identity_v1_Principal__Output } from './identity/v1/Principal.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  identity: {
    v1: {
      AuthorizationService: SubtypeConstructor<typeof grpc.Client, _identity_v1_AuthorizationServiceClient> & { service: _identity_v1_AuthorizationServiceDefinition }
      AuthorizeRequest: MessageTypeDefinition<_identity_v1_AuthorizeRequest, _identity_v1_AuthorizeRequest__Output>
      AuthorizeResponse: MessageTypeDefinition<_identity_v1_AuthorizeResponse, _identity_v1_AuthorizeResponse__Output>
      CredentialType: EnumTypeDefinition
      Outcome: EnumTypeDefinition
      Principal: MessageTypeDefinition<_identity_v1_Principal, _identity_v1_Principal__Output>
    }
  }
}

