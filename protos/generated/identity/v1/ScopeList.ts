// Original file: /work/main/protos/identity/v1/api_key.proto


export interface ScopeList {
  'scopes'?: (string)[];
}

export interface ScopeList__Output {
  'scopes': (string)[];
}
