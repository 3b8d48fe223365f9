// Original file: /work/main/protos/identity/v1/api_key.proto

import type { ApiKeyType as _identity_v1_ApiKeyType, ApiKeyType__Output as _identity_v1_ApiKeyType__Output } from '../../identity/v1/ApiKeyType.ts';
import type { ApiKeyStatus as _identity_v1_ApiKeyStatus, ApiKeyStatus__Output as _identity_v1_ApiKeyStatus__Output } from '../../identity/v1/ApiKeyStatus.ts';
import type { Long } from '@grpc/proto-loader';

export interface ApiKey {
  'id'?: (string);
  'businessId'?: (number | string | Long);
  'name'?: (string);
  'description'?: (string);
  'keyType'?: (_identity_v1_ApiKeyType);
  'scopes'?: (string)[];
  'status'?: (_identity_v1_ApiKeyStatus);
  'lastFour'?: (string);
  'limit'?: (number);
  'createdAtUnixMs'?: (number | string | Long);
  'expiresAtUnixMs'?: (number | string | Long);
  'lastUsedAtUnixMs'?: (number | string | Long);
  'lastUsedIp'?: (string);
  'rotatedAtUnixMs'?: (number | string | Long);
}

export interface ApiKey__Output {
  'id': (string);
  'businessId': (number);
  'name': (string);
  'description': (string);
  'keyType': (_identity_v1_ApiKeyType__Output);
  'scopes': (string)[];
  'status': (_identity_v1_ApiKeyStatus__Output);
  'lastFour': (string);
  'limit': (number);
  'createdAtUnixMs': (number);
  'expiresAtUnixMs': (number);
  'lastUsedAtUnixMs': (number);
  'lastUsedIp': (string);
  'rotatedAtUnixMs': (number);
}
