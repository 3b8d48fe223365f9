import type * as grpc from '@grpc/grpc-js';
import type { MessageTypeDefinition } from '@grpc/proto-loader';

import type { ListAllowedOriginsRequest as _identity_v1_ListAllowedOriginsRequest, ListAllowedOriginsRequest__Output as _identity_v1_ListAllowedOriginsRequest__Output } from './identity/v1/ListAllowedOriginsRequest.ts';
import type { ListAllowedOriginsResponse as _identity_v1_ListAllowedOriginsResponse, ListAllowedOriginsResponse__Output as _identity_v1_ListAllowedOriginsResponse__Output } from './identity/v1/ListAllowedOriginsResponse.ts';
import type { OriginServiceClient as _identity_v1_OriginServiceClient, OriginServiceDefinition as _identity_v1_OriginServiceDefinition } from './identity/v1/OriginService.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  identity: {
    v1: {
      ListAllowedOriginsRequest: MessageTypeDefinition<_identity_v1_ListAllowedOriginsRequest, _identity_v1_ListAllowedOriginsRequest__Output>
      ListAllowedOriginsResponse: MessageTypeDefinition<_identity_v1_ListAllowedOriginsResponse, _identity_v1_ListAllowedOriginsResponse__Output>
      OriginService: SubtypeConstructor<typeof grpc.Client, _identity_v1_OriginServiceClient> & { service: _identity_v1_OriginServiceDefinition }
    }
  }
}

