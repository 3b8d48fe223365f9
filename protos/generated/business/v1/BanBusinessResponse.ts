// Original file: /work/main/protos/business/v1/business.proto

import type { Business as _business_v1_Business, Business__Output as _business_v1_Business__Output } from '../../business/v1/Business.ts';

export interface BanBusinessResponse {
  'business'?: (_business_v1_Business | null);
}

export interface BanBusinessResponse__Output {
  'business': (_business_v1_Business__Output | null);
}
