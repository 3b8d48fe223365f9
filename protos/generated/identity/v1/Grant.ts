// Original file: /work/main/protos/identity/v1/application.proto

import type { Long } from '@grpc/proto-loader';

export interface Grant {
  'id'?: (string);
  'businessId'?: (number | string | Long);
  'applicationId'?: (string);
  'applicationName'?: (string);
  'applicationBusinessId'?: (number | string | Long);
  'personId'?: (string);
  'scopes'?: (string)[];
  'scopesUsed'?: (string)[];
  'createdAtUnixMs'?: (number | string | Long);
  'approvedAtUnixMs'?: (number | string | Long);
  'lastUsedAtUnixMs'?: (number | string | Long);
  'lastUsedIp'?: (string);
}

export interface Grant__Output {
  'id': (string);
  'businessId': (number);
  'applicationId': (string);
  'applicationName': (string);
  'applicationBusinessId': (number);
  'personId': (string);
  'scopes': (string)[];
  'scopesUsed': (string)[];
  'createdAtUnixMs': (number);
  'approvedAtUnixMs': (number);
  'lastUsedAtUnixMs': (number);
  'lastUsedIp': (string);
}
