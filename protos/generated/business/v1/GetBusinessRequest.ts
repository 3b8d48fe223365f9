// Original file: /work/main/protos/business/v1/business.proto

import type { Long } from '@grpc/proto-loader';

export interface GetBusinessRequest {
  'businessId'?: (number | string | Long);
}

export interface GetBusinessRequest__Output {
  'businessId': (number);
}
