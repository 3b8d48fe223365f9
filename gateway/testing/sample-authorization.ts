import type { Allowed } from '../src/access/authorization-result.ts';

/** An authorization for unit tests; `change` replaces fields. */
export const allowedWith = (change: Partial<Allowed> = {}): Allowed => ({
  outcome: 'allowed',
  principal: {
    businessId: 1,
    credentialType: 'CREDENTIAL_TYPE_SECRET_KEY',
    credentialId: 'key_1',
    limitId: 'key_1',
    scopes: [],
    expiresAt: undefined,
    allowedOrigins: [],
    isSandbox: false,
  },
  limit: 10,
  generation: 1,
  validUntil: 1e15,
  passport: 'p',
  upstreamPassports: new Map(),
  requestedAt: 1,
  ...change,
});
