// Original file: /work/main/protos/identity/v1/authorization.proto

import type { CredentialType as _identity_v1_CredentialType, CredentialType__Output as _identity_v1_CredentialType__Output } from '../../identity/v1/CredentialType.ts';
import type { Long } from '@grpc/proto-loader';

export interface Principal {
  'businessId'?: (number | string | Long);
  'credentialType'?: (_identity_v1_CredentialType);
  'credentialId'?: (string);
  'limitId'?: (string);
  'scopes'?: (string)[];
  'allowedOrigins'?: (string)[];
}

export interface Principal__Output {
  'businessId': (number);
  'credentialType': (_identity_v1_CredentialType__Output);
  'credentialId': (string);
  'limitId': (string);
  'scopes': (string)[];
  'allowedOrigins': (string)[];
}
