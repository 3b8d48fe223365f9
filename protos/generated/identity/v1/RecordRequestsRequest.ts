// Original file: /work/main/protos/identity/v1/usage.proto

import type { RequestRecord as _identity_v1_RequestRecord, RequestRecord__Output as _identity_v1_RequestRecord__Output } from '../../identity/v1/RequestRecord.ts';

export interface RecordRequestsRequest {
  'records'?: (_identity_v1_RequestRecord)[];
}

export interface RecordRequestsRequest__Output {
  'records': (_identity_v1_RequestRecord__Output)[];
}
