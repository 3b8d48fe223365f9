// Original file: /work/main/protos/identity/v1/api_key.proto

import type { ApiKey as _identity_v1_ApiKey, ApiKey__Output as _identity_v1_ApiKey__Output } from '../../identity/v1/ApiKey.ts';
import type { Propagation as _identity_v1_Propagation, Propagation__Output as _identity_v1_Propagation__Output } from '../../identity/v1/Propagation.ts';

export interface UpdateApiKeyResponse {
  'apiKey'?: (_identity_v1_ApiKey | null);
  'propagation'?: (_identity_v1_Propagation);
}

export interface UpdateApiKeyResponse__Output {
  'apiKey': (_identity_v1_ApiKey__Output | null);
  'propagation': (_identity_v1_Propagation__Output);
}
