// Original file: /work/main/protos/identity/v1/application.proto

import type { Long } from '@grpc/proto-loader';

export interface ClientSecret {
  'id'?: (string);
  'lastFour'?: (string);
  'createdAtUnixMs'?: (number | string | Long);
  'lastUsedAtUnixMs'?: (number | string | Long);
}

export interface ClientSecret__Output {
  'id': (string);
  'lastFour': (string);
  'createdAtUnixMs': (number);
  'lastUsedAtUnixMs': (number);
}
