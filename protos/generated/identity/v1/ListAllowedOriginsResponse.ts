// Original file: /work/main/protos/identity/v1/origin.proto


export interface ListAllowedOriginsResponse {
  'version'?: (string);
  'origins'?: (string)[];
}

export interface ListAllowedOriginsResponse__Output {
  'version': (string);
  'origins': (string)[];
}
