// Original file: /work/main/protos/identity/v1/authorization.proto

export const CredentialType = {
  CREDENTIAL_TYPE_UNSPECIFIED: 'CREDENTIAL_TYPE_UNSPECIFIED',
  CREDENTIAL_TYPE_SECRET_KEY: 'CREDENTIAL_TYPE_SECRET_KEY',
  CREDENTIAL_TYPE_RESTRICTED_KEY: 'CREDENTIAL_TYPE_RESTRICTED_KEY',
  CREDENTIAL_TYPE_ACCESS_TOKEN: 'CREDENTIAL_TYPE_ACCESS_TOKEN',
} as const;

export type CredentialType =
  | 'CREDENTIAL_TYPE_UNSPECIFIED'
  | 0
  | 'CREDENTIAL_TYPE_SECRET_KEY'
  | 1
  | 'CREDENTIAL_TYPE_RESTRICTED_KEY'
  | 2
  | 'CREDENTIAL_TYPE_ACCESS_TOKEN'
  | 3

export type CredentialType__Output = typeof CredentialType[keyof typeof CredentialType]
