import { z } from 'zod';
import type { BusinessProfile } from '../../applications/business-profile.ts';

/** Another business, as far as one that deals with it has to know it. */
export const businessNameSchema = z
  .object({ name: z.string(), username: z.string() })
  .meta({ id: 'BusinessName' });

/** null while business-service does not say. */
export function businessName(
  profile: BusinessProfile | undefined,
): z.input<typeof businessNameSchema> | null {
  return profile === undefined ? null : { name: profile.accountHolder, username: profile.username };
}
