// Original file: /work/main/protos/identity/v1/application.proto

import type { Application as _identity_v1_Application, Application__Output as _identity_v1_Application__Output } from '../../identity/v1/Application.ts';

export interface SetConnectedUserLimitResponse {
  'application'?: (_identity_v1_Application | null);
}

export interface SetConnectedUserLimitResponse__Output {
  'application': (_identity_v1_Application__Output | null);
}
