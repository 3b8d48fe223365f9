// Original file: /work/main/protos/identity/v1/authorization.proto


export interface AuthorizeRequest {
  'bearer'?: (string);
  'clientIp'?: (string);
  'requiredScope'?: (string);
}

export interface AuthorizeRequest__Output {
  'bearer': (string);
  'clientIp': (string);
  'requiredScope': (string);
}
