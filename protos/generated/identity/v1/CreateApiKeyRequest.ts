// Original file: /work/main/protos/identity/v1/api_key.proto

import type { Actor as _identity_v1_Actor, Actor__Output as _identity_v1_Actor__Output } from '../../identity/v1/Actor.ts';
import type { ApiKeyType as _identity_v1_ApiKeyType, ApiKeyType__Output as _identity_v1_ApiKeyType__Output } from '../../identity/v1/ApiKeyType.ts';
import type { Long } from '@grpc/proto-loader';

export interface CreateApiKeyRequest {
  'actor'?: (_identity_v1_Actor | null);
  'businessId'?: (number | string | Long);
  'name'?: (string);
  'description'?: (string);
  'keyType'?: (_identity_v1_ApiKeyType);
  'scopes'?: (string)[];
  'expiresAtUnixMs'?: (number | string | Long);
}

export interface CreateApiKeyRequest__Output {
  'actor': (_identity_v1_Actor__Output | null);
  'businessId': (number);
  'name': (string);
  'description': (string);
  'keyType': (_identity_v1_ApiKeyType__Output);
  'scopes': (string)[];
  'expiresAtUnixMs': (number);
}
