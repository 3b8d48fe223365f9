import { z } from 'zod';
import { actorOf, businessId } from './request-fields.ts';

const texts = z.array(z.string());

/** A list whose absence means: keep. */
const optionalTexts = z
  .object({ values: texts })
  .nullable()
  .transform((list) => list?.values);

/** What identifies one application. */
const reference = {
  businessId,
  applicationId: z.string().regex(/^apl_[0-9a-f]{24}$/, 'must be the identifier of an application'),
};

export const getRequest = z.object(reference);
export const listRequest = z.object({ businessId });

export const createRequest = (requestId: string) =>
  z.object({
    actor: actorOf(requestId),
    businessId,
    name: z.string(),
    description: z.string(),
    redirectUris: texts,
    scopes: texts,
    ipWhitelist: texts,
    webhooksEnabled: z.boolean(),
    webhookEvents: texts,
    allowedOrigins: texts,
  });

export const updateRequest = (requestId: string) =>
  z.object({
    ...changeFields(requestId),
    name: z.string().optional(),
    description: z.string().optional(),
    redirectUris: optionalTexts,
    scopes: optionalTexts,
    ipWhitelist: optionalTexts,
    webhooksEnabled: z.boolean().optional(),
    webhookEvents: optionalTexts,
    allowedOrigins: optionalTexts,
  });

/** Deletion. */
export const changeRequest = (requestId: string) => z.object(changeFields(requestId));

export const rotateRequest = (requestId: string) =>
  z.object({ ...changeFields(requestId), keepOld: z.boolean() });

export const deleteSecretRequest = (requestId: string) =>
  z.object({
    ...changeFields(requestId),
    clientSecretId: z.string().regex(/^sec_[0-9a-f]{24}$/, 'must be the identifier of a client secret'),
  });

export const limitRequest = (requestId: string) =>
  z.object({ ...changeFields(requestId), limit: z.number() });

function changeFields(requestId: string) {
  return { actor: actorOf(requestId), ...reference };
}
