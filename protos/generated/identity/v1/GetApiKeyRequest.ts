// Original file: /work/main/protos/identity/v1/api_key.proto

import type { Long } from '@grpc/proto-loader';

export interface GetApiKeyRequest {
  'businessId'?: (number | string | Long);
  'apiKeyId'?: (string);
}

export interface GetApiKeyRequest__Output {
  'businessId': (number);
  'apiKeyId': (string);
}
