// Original file: /work/main/protos/business/v1/business.proto

import type { Verification as _business_v1_Verification, Verification__Output as _business_v1_Verification__Output } from '../../business/v1/Verification.ts';
import type { Long } from '@grpc/proto-loader';

export interface Business {
  'id'?: (number | string | Long);
  'uniqueId'?: (string);
  'accountHolder'?: (string);
  'logo'?: (string);
  'username'?: (string);
  'isBanned'?: (boolean);
  'verification'?: (_business_v1_Verification | null);
  'createdAtUnixMs'?: (number | string | Long);
}

export interface Business__Output {
  'id': (number);
  'uniqueId': (string);
  'accountHolder': (string);
  'logo': (string);
  'username': (string);
  'isBanned': (boolean);
  'verification': (_business_v1_Verification__Output | null);
  'createdAtUnixMs': (number);
}
