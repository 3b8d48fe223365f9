// Original file: /work/main/protos/identity/v1/api_key.proto

export const ApiKeyStatus = {
  API_KEY_STATUS_UNSPECIFIED: 'API_KEY_STATUS_UNSPECIFIED',
  API_KEY_STATUS_ACTIVE: 'API_KEY_STATUS_ACTIVE',
  API_KEY_STATUS_EXPIRED: 'API_KEY_STATUS_EXPIRED',
} as const;

export type ApiKeyStatus =
  | 'API_KEY_STATUS_UNSPECIFIED'
  | 0
  | 'API_KEY_STATUS_ACTIVE'
  | 1
  | 'API_KEY_STATUS_EXPIRED'
  | 2

export type ApiKeyStatus__Output = typeof ApiKeyStatus[keyof typeof ApiKeyStatus]
