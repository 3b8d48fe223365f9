// Original file: /work/main/protos/identity/v1/api_key.proto

import type { ApiKey as _identity_v1_ApiKey, ApiKey__Output as _identity_v1_ApiKey__Output } from '../../identity/v1/ApiKey.ts';
import type { Propagation as _identity_v1_Propagation, Propagation__Output as _identity_v1_Propagation__Output } from '../../identity/v1/Propagation.ts';

export interface RotateApiKeyResponse {
  'apiKey'?: (_identity_v1_ApiKey | null);
  'keyString'?: (string);
  'propagation'?: (_identity_v1_Propagation);
}

export interface RotateApiKeyResponse__Output {
  'apiKey': (_identity_v1_ApiKey__Output | null);
  'keyString': (string);
  'propagation': (_identity_v1_Propagation__Output);
}
