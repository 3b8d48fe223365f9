// Original file: /work/main/protos/identity/v1/application.proto

import type { Long } from '@grpc/proto-loader';

export interface ListGrantsRequest {
  'businessId'?: (number | string | Long);
}

export interface ListGrantsRequest__Output {
  'businessId': (number);
}
