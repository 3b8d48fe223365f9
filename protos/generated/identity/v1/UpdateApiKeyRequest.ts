// Original file: /work/main/protos/identity/v1/api_key.proto

import type { Actor as _identity_v1_Actor, Actor__Output as _identity_v1_Actor__Output } from '../../identity/v1/Actor.ts';
import type { ScopeList as _identity_v1_ScopeList, ScopeList__Output as _identity_v1_ScopeList__Output } from '../../identity/v1/ScopeList.ts';
import type { ApiKeyType as _identity_v1_ApiKeyType, ApiKeyType__Output as _identity_v1_ApiKeyType__Output } from '../../identity/v1/ApiKeyType.ts';
import type { Long } from '@grpc/proto-loader';

export interface UpdateApiKeyRequest {
  'actor'?: (_identity_v1_Actor | null);
  'businessId'?: (number | string | Long);
  'apiKeyId'?: (string);
  'name'?: (string);
  'description'?: (string);
  'scopes'?: (_identity_v1_ScopeList | null);
  'keyType'?: (_identity_v1_ApiKeyType);
  'expiresAtUnixMs'?: (number | string | Long);
  '_name'?: "name";
  '_description'?: "description";
  '_keyType'?: "keyType";
  '_expiresAtUnixMs'?: "expiresAtUnixMs";
}

export interface UpdateApiKeyRequest__Output {
  'actor': (_identity_v1_Actor__Output | null);
  'businessId': (number);
  'apiKeyId': (string);
  'name'?: (string);
  'description'?: (string);
  'scopes': (_identity_v1_ScopeList__Output | null);
  'keyType'?: (_identity_v1_ApiKeyType__Output);
  'expiresAtUnixMs'?: (number);
  '_name'?: "name";
  '_description'?: "description";
  '_keyType'?: "keyType";
  '_expiresAtUnixMs'?: "expiresAtUnixMs";
}
