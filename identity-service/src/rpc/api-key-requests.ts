import { z } from 'zod';
import { actorOf, businessId, optionalInstant } from './request-fields.ts';

const keyType = z
  .enum(['API_KEY_TYPE_SECRET', 'API_KEY_TYPE_RESTRICTED'], 'must be secret or restricted')
  .transform((type) => (type === 'API_KEY_TYPE_SECRET' ? ('secret' as const) : ('restricted' as const)));

/** What identifies one key. */
const reference = {
  businessId,
  apiKeyId: z.string().regex(/^key_[0-9a-f]{24}$/, 'must be the identifier of an API key'),
};

export const getRequest = z.object(reference);
export const listRequest = z.object({ businessId });

export const createRequest = (requestId: string) =>
  z.object({
    actor: actorOf(requestId),
    businessId,
    name: z.string(),
    description: z.string(),
    keyType,
    scopes: z.array(z.string()),
    expiresAtUnixMs: optionalInstant,
  });

export const updateRequest = (requestId: string) =>
  z.object({
    ...changeFields(requestId),
    name: z.string().optional(),
    description: z.string().optional(),
    scopes: z.object({ scopes: z.array(z.string()) }).nullable(),
    // Any value at all: whoever names them is refused.
    keyType: z.unknown().optional(),
    expiresAtUnixMs: z.unknown().optional(),
  });

/** Rotation and deletion. */
export const changeRequest = (requestId: string) => z.object(changeFields(requestId));

export const limitRequest = (requestId: string) =>
  z.object({ ...changeFields(requestId), limit: z.number() });

function changeFields(requestId: string) {
  return { actor: actorOf(requestId), ...reference };
}
