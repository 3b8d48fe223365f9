import { z } from 'zod';
import type { Caller } from '../../usage/caller.ts';

/** An API key or a connected application. */
export const callerSchema = z
  .object({
    kind: z.enum(['api_key', 'application']),
    id: z.string().describe('The API key or the application.'),
    name: z.string().nullable().describe('null where it is gone.'),
    exists: z.boolean().describe('Whether it may still act for the business.'),
    isOwn: z
      .boolean()
      .describe('Whether the business looks after it: its key, or an app that it has registered.'),
  })
  .meta({ id: 'Caller' });

export function toCaller({ kind, id, name, exists, isOwn }: Caller): z.input<typeof callerSchema> {
  return { kind, id, name: name ?? null, exists, isOwn };
}
