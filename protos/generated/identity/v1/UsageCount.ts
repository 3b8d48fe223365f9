// Original file: /work/main/protos/identity/v1/usage.proto

import type { CredentialType as _identity_v1_CredentialType, CredentialType__Output as _identity_v1_CredentialType__Output } from '../../identity/v1/CredentialType.ts';
import type { AddressCount as _identity_v1_AddressCount, AddressCount__Output as _identity_v1_AddressCount__Output } from '../../identity/v1/AddressCount.ts';
import type { EndpointCount as _identity_v1_EndpointCount, EndpointCount__Output as _identity_v1_EndpointCount__Output } from '../../identity/v1/EndpointCount.ts';
import type { Long } from '@grpc/proto-loader';

export interface UsageCount {
  'businessId'?: (number | string | Long);
  'credentialType'?: (_identity_v1_CredentialType);
  'credentialId'?: (string);
  'minuteUnixMs'?: (number | string | Long);
  'count_2xx'?: (number);
  'count_4xx'?: (number);
  'count_429'?: (number);
  'count_5xx'?: (number);
  'lastUsedAtUnixMs'?: (number | string | Long);
  'lastUsedIp'?: (string);
  'scopesUsed'?: (string)[];
  'limitId'?: (string);
  'addresses'?: (_identity_v1_AddressCount)[];
  'endpoints'?: (_identity_v1_EndpointCount)[];
  'limitUsed'?: (number);
  'limitObservedAtUnixMs'?: (number | string | Long);
}

export interface UsageCount__Output {
  'businessId': (number);
  'credentialType': (_identity_v1_CredentialType__Output);
  'credentialId': (string);
  'minuteUnixMs': (number);
  'count_2xx': (number);
  'count_4xx': (number);
  'count_429': (number);
  'count_5xx': (number);
  'lastUsedAtUnixMs': (number);
  'lastUsedIp': (string);
  'scopesUsed': (string)[];
  'limitId': (string);
  'addresses': (_identity_v1_AddressCount__Output)[];
  'endpoints': (_identity_v1_EndpointCount__Output)[];
  'limitUsed': (number);
  'limitObservedAtUnixMs': (number);
}
