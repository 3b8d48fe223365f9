// Original file: /work/main/protos/business/v1/business.proto


export interface CreateBusinessRequest {
  'accountHolder'?: (string);
  'username'?: (string);
  'logo'?: (string);
  'creationKey'?: (string);
}

export interface CreateBusinessRequest__Output {
  'accountHolder': (string);
  'username': (string);
  'logo': (string);
  'creationKey': (string);
}
