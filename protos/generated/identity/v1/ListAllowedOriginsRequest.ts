// Original file: /work/main/protos/identity/v1/origin.proto


export interface ListAllowedOriginsRequest {
  'knownVersion'?: (string);
}

export interface ListAllowedOriginsRequest__Output {
  'knownVersion': (string);
}
