// Original file: /work/main/protos/identity/v1/api_key.proto

import type { ApiKey as _identity_v1_ApiKey, ApiKey__Output as _identity_v1_ApiKey__Output } from '../../identity/v1/ApiKey.ts';

export interface ListApiKeysResponse {
  'apiKeys'?: (_identity_v1_ApiKey)[];
}

export interface ListApiKeysResponse__Output {
  'apiKeys': (_identity_v1_ApiKey__Output)[];
}
