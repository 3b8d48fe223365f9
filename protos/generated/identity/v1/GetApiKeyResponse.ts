// Original file: /work/main/protos/identity/v1/api_key.proto

import type { ApiKey as _identity_v1_ApiKey, ApiKey__Output as _identity_v1_ApiKey__Output } from '../../identity/v1/ApiKey.ts';

export interface GetApiKeyResponse {
  'apiKey'?: (_identity_v1_ApiKey | null);
}

export interface GetApiKeyResponse__Output {
  'apiKey': (_identity_v1_ApiKey__Output | null);
}
