// Original file: /work/main/protos/business/v1/business.proto

import type { Long } from '@grpc/proto-loader';

export interface SubmitVerificationRequest {
  'businessId'?: (number | string | Long);
  'legalName'?: (string);
  'registrationNumber'?: (string);
  'country'?: (string);
}

export interface SubmitVerificationRequest__Output {
  'businessId': (number);
  'legalName': (string);
  'registrationNumber': (string);
  'country': (string);
}
