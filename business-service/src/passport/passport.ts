import { z } from 'zod';
import { maxBusinessId } from '../businesses/business.ts';

/** Who is calling, as identity-service signed it. */
export interface Passport {
  readonly credentialId: string;
  readonly credentialType: 'secret_key' | 'restricted_key' | 'access_token';
  readonly businessId: number;
  readonly scopes: ReadonlySet<string>;
  /** Seconds since 1970, with a fraction. */
  readonly expiresAt: number;
}

/** Seconds that a passport may live: one that claims more was not made by our rules. */
const maxLifetime = 600;

const claims = z
  .object({
    sub: z.string().min(1),
    business_id: z.int().positive().max(maxBusinessId),
    credential_type: z.enum(['secret_key', 'restricted_key', 'access_token']),
    scope: z.string(),
    iat: z.number(),
    exp: z.number(),
  })
  .refine(({ iat, exp }) => exp > iat && exp - iat <= maxLifetime);

/** The claims of a verified token as a passport; undefined when they are not ours. */
export function parsePassport(payload: unknown): Passport | undefined {
  const parsed = claims.safeParse(payload);
  if (!parsed.success) return undefined;
  const { sub, business_id, credential_type, scope, exp } = parsed.data;
  return {
    credentialId: sub,
    credentialType: credential_type,
    businessId: business_id,
    scopes: new Set(scope.split(' ').filter((name) => name !== '')),
    expiresAt: exp,
  };
}
