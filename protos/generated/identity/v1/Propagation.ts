// Original file: /work/main/protos/identity/v1/api_key.proto

export const Propagation = {
  PROPAGATION_UNSPECIFIED: 'PROPAGATION_UNSPECIFIED',
  PROPAGATION_CONFIRMED: 'PROPAGATION_CONFIRMED',
  PROPAGATION_PENDING: 'PROPAGATION_PENDING',
} as const;

export type Propagation =
  | 'PROPAGATION_UNSPECIFIED'
  | 0
  | 'PROPAGATION_CONFIRMED'
  | 1
  | 'PROPAGATION_PENDING'
  | 2

export type Propagation__Output = typeof Propagation[keyof typeof Propagation]
