// Original file: /work/main/protos/identity/v1/api_key.proto

import type { Long } from '@grpc/proto-loader';

export interface ListApiKeysRequest {
  'businessId'?: (number | string | Long);
}

export interface ListApiKeysRequest__Output {
  'businessId': (number);
}
