import type { EmailContent } from '../../web/mail.ts';
import { withoutLinks } from '../../web/mail-message.ts';
import type { Notice } from './notice.ts';
import { describeNotice } from './notice-text.ts';

/** Notices that one digest lists. */
export const maxListed = 100;

/** A heading of an email: HTML shows its level, text its line. */
const heading = (words: string, line: '=' | '-'): string => `${words}\n${line.repeat([...words].length)}`;

/** Link to the page where a person chooses the emails. */
export const choiceLink = (publicUrl: string): string =>
  `Choose which emails you get:\n${publicUrl}/dashboard/notices\n`;

function entry(notice: Notice, publicUrl: string): string {
  const { title, text, next } = describeNotice(notice);
  return `${heading(title, '-')}\n${text}\n\n${next.label}:\n${publicUrl}${next.path}`;
}

/**
 * Email of the notices of a day, by business; in the order in which they happened.
 * @param notices oldest first
 * @param nameOf name of a business; undefined where it is not known
 */
export function digestEmail(
  notices: readonly Notice[],
  nameOf: (businessId: number) => string | undefined,
  publicUrl: string,
): EmailContent {
  const listed = notices.slice(0, maxListed);
  const groups = [...Map.groupBy(listed, ({ businessId }) => businessId)].map(([businessId, ofBusiness]) => {
    const name = businessId === undefined ? 'Your account' : (nameOf(businessId) ?? `Business ${businessId}`);
    return [heading(withoutLinks(name), '='), ...ofBusiness.map((notice) => entry(notice, publicUrl))];
  });
  const more = notices.length > maxListed ? ['There are more of them in the dashboard.'] : [];
  return {
    subject: `${notices.length > maxListed ? `More than ${maxListed}` : notices.length} notices of a day`,
    text: [...groups.flat(), ...more, choiceLink(publicUrl)].join('\n\n'),
  };
}
