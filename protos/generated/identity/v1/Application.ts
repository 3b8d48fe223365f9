// Original file: /work/main/protos/identity/v1/application.proto

import type { ClientSecret as _identity_v1_ClientSecret, ClientSecret__Output as _identity_v1_ClientSecret__Output } from '../../identity/v1/ClientSecret.ts';
import type { Long } from '@grpc/proto-loader';

export interface Application {
  'id'?: (string);
  'clientId'?: (string);
  'businessId'?: (number | string | Long);
  'name'?: (string);
  'description'?: (string);
  'redirectUris'?: (string)[];
  'scopes'?: (string)[];
  'ipWhitelist'?: (string)[];
  'webhooksEnabled'?: (boolean);
  'webhookEvents'?: (string)[];
  'connectedUserLimit'?: (number);
  'connectedUsers'?: (number);
  'secrets'?: (_identity_v1_ClientSecret)[];
  'createdAtUnixMs'?: (number | string | Long);
  'updatedAtUnixMs'?: (number | string | Long);
  'allowedOrigins'?: (string)[];
}

export interface Application__Output {
  'id': (string);
  'clientId': (string);
  'businessId': (number);
  'name': (string);
  'description': (string);
  'redirectUris': (string)[];
  'scopes': (string)[];
  'ipWhitelist': (string)[];
  'webhooksEnabled': (boolean);
  'webhookEvents': (string)[];
  'connectedUserLimit': (number);
  'connectedUsers': (number);
  'secrets': (_identity_v1_ClientSecret__Output)[];
  'createdAtUnixMs': (number);
  'updatedAtUnixMs': (number);
  'allowedOrigins': (string)[];
}
