// Original file: /work/main/protos/identity/v1/usage.proto

import type { Long } from '@grpc/proto-loader';

export interface AddressCount {
  'address'?: (string);
  'requests'?: (number);
  'successes'?: (number);
  'lastSuccessAtUnixMs'?: (number | string | Long);
}

export interface AddressCount__Output {
  'address': (string);
  'requests': (number);
  'successes': (number);
  'lastSuccessAtUnixMs': (number);
}
