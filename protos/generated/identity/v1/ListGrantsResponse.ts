// Original file: /work/main/protos/identity/v1/application.proto

import type { Grant as _identity_v1_Grant, Grant__Output as _identity_v1_Grant__Output } from '../../identity/v1/Grant.ts';

export interface ListGrantsResponse {
  'grants'?: (_identity_v1_Grant)[];
}

export interface ListGrantsResponse__Output {
  'grants': (_identity_v1_Grant__Output)[];
}
