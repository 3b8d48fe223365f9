/** State of a key (contract 3.1). A deleted key has none: it is gone. */
export type ApiKeyStatus = 'active' | 'expired';

/** Active while `now` < `expiresAt`. Both in milliseconds on the database's clock. */
export function apiKeyStatus(expiresAt: number | undefined, now: number): ApiKeyStatus {
  return expiresAt === undefined || now < expiresAt ? 'active' : 'expired';
}
