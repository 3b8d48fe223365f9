// Original file: /work/main/protos/identity/v1/application.proto

import type { Actor as _identity_v1_Actor, Actor__Output as _identity_v1_Actor__Output } from '../../identity/v1/Actor.ts';
import type { Long } from '@grpc/proto-loader';

export interface DeleteApplicationRequest {
  'actor'?: (_identity_v1_Actor | null);
  'businessId'?: (number | string | Long);
  'applicationId'?: (string);
}

export interface DeleteApplicationRequest__Output {
  'actor': (_identity_v1_Actor__Output | null);
  'businessId': (number);
  'applicationId': (string);
}
