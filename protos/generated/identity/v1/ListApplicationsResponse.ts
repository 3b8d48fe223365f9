// Original file: /work/main/protos/identity/v1/application.proto

import type { Application as _identity_v1_Application, Application__Output as _identity_v1_Application__Output } from '../../identity/v1/Application.ts';

export interface ListApplicationsResponse {
  'applications'?: (_identity_v1_Application)[];
}

export interface ListApplicationsResponse__Output {
  'applications': (_identity_v1_Application__Output)[];
}
