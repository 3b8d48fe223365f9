// Original file: /work/main/protos/business/v1/business.proto

import type { Long } from '@grpc/proto-loader';

export interface UnbanBusinessRequest {
  'businessId'?: (number | string | Long);
}

export interface UnbanBusinessRequest__Output {
  'businessId': (number);
}
