import { isLine } from '@platform/service-kit/values/text.ts';
import { z } from 'zod';

/** Strings of one report, and characters of each. */
const maxStrings = 1_000;

const maxLength = 1_000;

const maxUrl = 2_000;

/** Where a string was found; without a user, a password, or a part of the page. */
const place = z
  .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
  .max(maxUrl, `must have at most ${maxUrl} characters`)
  .transform((text) => {
    const url = new URL(text);
    Object.assign(url, { username: '', password: '', hash: '' });
    return url.href;
  });

/** Body of a report by any person or program. */
export const leakReport = z.strictObject({
  strings: z.array(z.string().max(maxLength)).min(1).max(maxStrings),
  url: place.optional(),
  source: z.string().min(1).max(100).refine(isLine, 'must be one line').optional(),
});

/** Body of a report by GitHub. Fields of later versions are ignored, and so is a URL that is none. */
export const githubReport = z.array(z.object({ token: z.string(), url: place.optional().catch(undefined) }));
