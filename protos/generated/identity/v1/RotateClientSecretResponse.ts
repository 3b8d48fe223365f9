// Original file: /work/main/protos/identity/v1/application.proto

import type { Application as _identity_v1_Application, Application__Output as _identity_v1_Application__Output } from '../../identity/v1/Application.ts';
import type { Propagation as _identity_v1_Propagation, Propagation__Output as _identity_v1_Propagation__Output } from '../../identity/v1/Propagation.ts';

export interface RotateClientSecretResponse {
  'application'?: (_identity_v1_Application | null);
  'clientSecret'?: (string);
  'propagation'?: (_identity_v1_Propagation);
}

export interface RotateClientSecretResponse__Output {
  'application': (_identity_v1_Application__Output | null);
  'clientSecret': (string);
  'propagation': (_identity_v1_Propagation__Output);
}
