// Original file: /work/main/protos/business/v1/business.proto

import type { Long } from '@grpc/proto-loader';

export interface BanBusinessRequest {
  'businessId'?: (number | string | Long);
}

export interface BanBusinessRequest__Output {
  'businessId': (number);
}
