import { z } from 'zod';

const rfc3339 = z.iso.datetime({ offset: true });

/** A `+` that was not encoded arrives as a blank. */
const unencodedOffset = /\s\d{2}:\d{2}$/;

const expected = 'must be a date and time such as 2027-01-31T12:00:00Z';

/** A date and time of a request, as RFC 3339 has them: `T` and `Z` in either case (section 5.6). */
export const timestampField = z
  .string()
  .meta({ format: 'date-time' })
  .transform((text, context) => {
    const { data } = rfc3339.safeParse(text.toUpperCase());
    if (data !== undefined) return new Date(data);
    context.addIssue(unencodedOffset.test(text) ? `${expected}; in a URL, + is written as %2B` : expected);
    return z.NEVER;
  });
