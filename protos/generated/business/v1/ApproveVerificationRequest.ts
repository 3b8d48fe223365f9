// Original file: /work/main/protos/business/v1/business.proto

import type { Long } from '@grpc/proto-loader';

export interface ApproveVerificationRequest {
  'businessId'?: (number | string | Long);
}

export interface ApproveVerificationRequest__Output {
  'businessId': (number);
}
