// Original file: /work/main/protos/identity/v1/application.proto

import type { Actor as _identity_v1_Actor, Actor__Output as _identity_v1_Actor__Output } from '../../identity/v1/Actor.ts';
import type { StringList as _identity_v1_StringList, StringList__Output as _identity_v1_StringList__Output } from '../../identity/v1/StringList.ts';
import type { Long } from '@grpc/proto-loader';

export interface UpdateApplicationRequest {
  'actor'?: (_identity_v1_Actor | null);
  'businessId'?: (number | string | Long);
  'applicationId'?: (string);
  'name'?: (string);
  'description'?: (string);
  'redirectUris'?: (_identity_v1_StringList | null);
  'scopes'?: (_identity_v1_StringList | null);
  'ipWhitelist'?: (_identity_v1_StringList | null);
  'webhooksEnabled'?: (boolean);
  'webhookEvents'?: (_identity_v1_StringList | null);
  'allowedOrigins'?: (_identity_v1_StringList | null);
  '_name'?: "name";
  '_description'?: "description";
  '_webhooksEnabled'?: "webhooksEnabled";
}

export interface UpdateApplicationRequest__Output {
  'actor': (_identity_v1_Actor__Output | null);
  'businessId': (number);
  'applicationId': (string);
  'name'?: (string);
  'description'?: (string);
  'redirectUris': (_identity_v1_StringList__Output | null);
  'scopes': (_identity_v1_StringList__Output | null);
  'ipWhitelist': (_identity_v1_StringList__Output | null);
  'webhooksEnabled'?: (boolean);
  'webhookEvents': (_identity_v1_StringList__Output | null);
  'allowedOrigins': (_identity_v1_StringList__Output | null);
  '_name'?: "name";
  '_description'?: "description";
  '_webhooksEnabled'?: "webhooksEnabled";
}
