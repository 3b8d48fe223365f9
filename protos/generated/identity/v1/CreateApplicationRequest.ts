// Original file: /work/main/protos/identity/v1/application.proto

import type { Actor as _identity_v1_Actor, Actor__Output as _identity_v1_Actor__Output } from '../../identity/v1/Actor.ts';
import type { Long } from '@grpc/proto-loader';

export interface CreateApplicationRequest {
  'actor'?: (_identity_v1_Actor | null);
  'businessId'?: (number | string | Long);
  'name'?: (string);
  'description'?: (string);
  'redirectUris'?: (string)[];
  'scopes'?: (string)[];
  'ipWhitelist'?: (string)[];
  'webhooksEnabled'?: (boolean);
  'webhookEvents'?: (string)[];
  'allowedOrigins'?: (string)[];
}

export interface CreateApplicationRequest__Output {
  'actor': (_identity_v1_Actor__Output | null);
  'businessId': (number);
  'name': (string);
  'description': (string);
  'redirectUris': (string)[];
  'scopes': (string)[];
  'ipWhitelist': (string)[];
  'webhooksEnabled': (boolean);
  'webhookEvents': (string)[];
  'allowedOrigins': (string)[];
}
