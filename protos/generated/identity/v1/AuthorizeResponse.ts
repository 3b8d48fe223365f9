// Original file: /work/main/protos/identity/v1/authorization.proto

import type { Outcome as _identity_v1_Outcome, Outcome__Output as _identity_v1_Outcome__Output } from '../../identity/v1/Outcome.ts';
import type { Principal as _identity_v1_Principal, Principal__Output as _identity_v1_Principal__Output } from '../../identity/v1/Principal.ts';
import type { Long } from '@grpc/proto-loader';

export interface AuthorizeResponse {
  'outcome'?: (_identity_v1_Outcome);
  'principal'?: (_identity_v1_Principal | null);
  'limit'?: (number);
  'generation'?: (number | string | Long);
  'expiresAtUnixMs'?: (number | string | Long);
  'passport'?: (string);
  'passportExpiresAtUnixMs'?: (number | string | Long);
}

export interface AuthorizeResponse__Output {
  'outcome': (_identity_v1_Outcome__Output);
  'principal': (_identity_v1_Principal__Output | null);
  'limit': (number);
  'generation': (number);
  'expiresAtUnixMs': (number);
  'passport': (string);
  'passportExpiresAtUnixMs': (number);
}
