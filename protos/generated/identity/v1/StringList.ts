// Original file: /work/main/protos/identity/v1/application.proto


export interface StringList {
  'values'?: (string)[];
}

export interface StringList__Output {
  'values': (string)[];
}
