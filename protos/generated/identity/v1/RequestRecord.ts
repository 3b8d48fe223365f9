// Original file: /work/main/protos/identity/v1/usage.proto

import type { CredentialType as _identity_v1_CredentialType, CredentialType__Output as _identity_v1_CredentialType__Output } from '../../identity/v1/CredentialType.ts';
import type { Long } from '@grpc/proto-loader';

export interface RequestRecord {
  'requestId'?: (string);
  'atUnixMs'?: (number | string | Long);
  'method'?: (string);
  'path'?: (string);
  'route'?: (string);
  'status'?: (number);
  'refusal'?: (string);
  'businessId'?: (number | string | Long);
  'credentialType'?: (_identity_v1_CredentialType);
  'credentialId'?: (string);
  'limitId'?: (string);
  'clientIp'?: (string);
  'requiredScope'?: (string);
}

export interface RequestRecord__Output {
  'requestId': (string);
  'atUnixMs': (number);
  'method': (string);
  'path': (string);
  'route': (string);
  'status': (number);
  'refusal': (string);
  'businessId': (number);
  'credentialType': (_identity_v1_CredentialType__Output);
  'credentialId': (string);
  'limitId': (string);
  'clientIp': (string);
  'requiredScope': (string);
}
