// Original file: /work/main/protos/identity/v1/application.proto

import type { Propagation as _identity_v1_Propagation, Propagation__Output as _identity_v1_Propagation__Output } from '../../identity/v1/Propagation.ts';

export interface DisconnectGrantResponse {
  'propagation'?: (_identity_v1_Propagation);
}

export interface DisconnectGrantResponse__Output {
  'propagation': (_identity_v1_Propagation__Output);
}
