// Original file: /work/main/protos/business/v1/business.proto

import type { VerificationStatus as _business_v1_VerificationStatus, VerificationStatus__Output as _business_v1_VerificationStatus__Output } from '../../business/v1/VerificationStatus.ts';
import type { Long } from '@grpc/proto-loader';

export interface Verification {
  'status'?: (_business_v1_VerificationStatus);
  'legalName'?: (string);
  'registrationNumber'?: (string);
  'country'?: (string);
  'submittedAtUnixMs'?: (number | string | Long);
  'decidedAtUnixMs'?: (number | string | Long);
  'rejectionReason'?: (string);
}

export interface Verification__Output {
  'status': (_business_v1_VerificationStatus__Output);
  'legalName': (string);
  'registrationNumber': (string);
  'country': (string);
  'submittedAtUnixMs': (number);
  'decidedAtUnixMs': (number);
  'rejectionReason': (string);
}
