// Original file: /work/main/protos/identity/v1/api_key.proto


export interface Actor {
  'kind'?: (string);
  'id'?: (string);
  'clientIp'?: (string);
}

export interface Actor__Output {
  'kind': (string);
  'id': (string);
  'clientIp': (string);
}
