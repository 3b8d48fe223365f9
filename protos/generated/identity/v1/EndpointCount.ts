// Original file: /work/main/protos/identity/v1/usage.proto


export interface EndpointCount {
  'method'?: (string);
  'route'?: (string);
  'requests'?: (number);
}

export interface EndpointCount__Output {
  'method': (string);
  'route': (string);
  'requests': (number);
}
