// Original file: /work/main/protos/identity/v1/application.proto

import type { Long } from '@grpc/proto-loader';

export interface ListApplicationsRequest {
  'businessId'?: (number | string | Long);
}

export interface ListApplicationsRequest__Output {
  'businessId': (number);
}
