// Original file: /work/main/protos/identity/v1/application.proto

import type { Application as _identity_v1_Application, Application__Output as _identity_v1_Application__Output } from '../../identity/v1/Application.ts';

export interface CreateApplicationResponse {
  'application'?: (_identity_v1_Application | null);
  'clientSecret'?: (string);
}

export interface CreateApplicationResponse__Output {
  'application': (_identity_v1_Application__Output | null);
  'clientSecret': (string);
}
