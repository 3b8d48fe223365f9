// Original file: /work/main/protos/identity/v1/application.proto

import type { Long } from '@grpc/proto-loader';

export interface GetApplicationRequest {
  'businessId'?: (number | string | Long);
  'applicationId'?: (string);
}

export interface GetApplicationRequest__Output {
  'businessId': (number);
  'applicationId': (string);
}
