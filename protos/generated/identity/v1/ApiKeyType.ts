// Original file: /work/main/protos/identity/v1/api_key.proto

export const ApiKeyType = {
  API_KEY_TYPE_UNSPECIFIED: 'API_KEY_TYPE_UNSPECIFIED',
  API_KEY_TYPE_SECRET: 'API_KEY_TYPE_SECRET',
  API_KEY_TYPE_RESTRICTED: 'API_KEY_TYPE_RESTRICTED',
} as const;

export type ApiKeyType =
  | 'API_KEY_TYPE_UNSPECIFIED'
  | 0
  | 'API_KEY_TYPE_SECRET'
  | 1
  | 'API_KEY_TYPE_RESTRICTED'
  | 2

export type ApiKeyType__Output = typeof ApiKeyType[keyof typeof ApiKeyType]
