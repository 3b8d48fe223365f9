// Original file: /work/main/protos/identity/v1/authorization.proto

export const Outcome = {
  OUTCOME_UNSPECIFIED: 'OUTCOME_UNSPECIFIED',
  OUTCOME_ALLOWED: 'OUTCOME_ALLOWED',
  OUTCOME_INVALID: 'OUTCOME_INVALID',
  OUTCOME_EXPIRED: 'OUTCOME_EXPIRED',
  OUTCOME_SCOPE_DENIED: 'OUTCOME_SCOPE_DENIED',
  OUTCOME_IP_DENIED: 'OUTCOME_IP_DENIED',
  OUTCOME_BUSINESS_FROZEN: 'OUTCOME_BUSINESS_FROZEN',
} as const;

export type Outcome =
  | 'OUTCOME_UNSPECIFIED'
  | 0
  | 'OUTCOME_ALLOWED'
  | 1
  | 'OUTCOME_INVALID'
  | 2
  | 'OUTCOME_EXPIRED'
  | 3
  | 'OUTCOME_SCOPE_DENIED'
  | 4
  | 'OUTCOME_IP_DENIED'
  | 5
  | 'OUTCOME_BUSINESS_FROZEN'
  | 6

export type Outcome__Output = typeof Outcome[keyof typeof Outcome]
