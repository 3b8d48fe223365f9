// Original file: /work/main/protos/identity/v1/application.proto

import type { Actor as _identity_v1_Actor, Actor__Output as _identity_v1_Actor__Output } from '../../identity/v1/Actor.ts';
import type { Long } from '@grpc/proto-loader';

export interface DeleteClientSecretRequest {
  'actor'?: (_identity_v1_Actor | null);
  'businessId'?: (number | string | Long);
  'applicationId'?: (string);
  'clientSecretId'?: (string);
}

export interface DeleteClientSecretRequest__Output {
  'actor': (_identity_v1_Actor__Output | null);
  'businessId': (number);
  'applicationId': (string);
  'clientSecretId': (string);
}
