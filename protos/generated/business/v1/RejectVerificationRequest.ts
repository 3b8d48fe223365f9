// Original file: /work/main/protos/business/v1/business.proto

import type { Long } from '@grpc/proto-loader';

export interface RejectVerificationRequest {
  'businessId'?: (number | string | Long);
  'reason'?: (string);
}

export interface RejectVerificationRequest__Output {
  'businessId': (number);
  'reason': (string);
}
