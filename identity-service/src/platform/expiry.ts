/** Status of a key (contract 3.1). */
export type ApiKeyStatus = 'active' | 'expired';

/** Active while `now` < `expiresAt`. Both in milliseconds on the database's clock. */
export function apiKeyStatus(expiresAt: number | undefined, now: number): ApiKeyStatus {
  return expiresAt === undefined || now < expiresAt ? 'active' : 'expired';
}
