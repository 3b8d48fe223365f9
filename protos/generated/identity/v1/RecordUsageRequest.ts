// Original file: /work/main/protos/identity/v1/usage.proto

import type { UsageCount as _identity_v1_UsageCount, UsageCount__Output as _identity_v1_UsageCount__Output } from '../../identity/v1/UsageCount.ts';

export interface RecordUsageRequest {
  'batchId'?: (string);
  'counts'?: (_identity_v1_UsageCount)[];
}

export interface RecordUsageRequest__Output {
  'batchId': (string);
  'counts': (_identity_v1_UsageCount__Output)[];
}
