// Original file: /work/main/protos/identity/v1/api_key.proto

import type { Actor as _identity_v1_Actor, Actor__Output as _identity_v1_Actor__Output } from '../../identity/v1/Actor.ts';
import type { Long } from '@grpc/proto-loader';

export interface RotateApiKeyRequest {
  'actor'?: (_identity_v1_Actor | null);
  'businessId'?: (number | string | Long);
  'apiKeyId'?: (string);
}

export interface RotateApiKeyRequest__Output {
  'actor': (_identity_v1_Actor__Output | null);
  'businessId': (number);
  'apiKeyId': (string);
}
