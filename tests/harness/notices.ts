import { expect } from '@jest/globals';
import { z } from 'zod';
import type { Dashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';
import { allMailsTo, type TestPerson, type WrittenMail } from './people.ts';
import type { Platform } from './platform.ts';

type Addressee = Pick<TestPerson, 'id' | 'email'>;

const notice = z.object({
  title: z.string(),
  text: z.string(),
  businessId: z.string().nullable(),
  path: z.string(),
  isRead: z.boolean(),
});
const listed = z.object({ notices: z.array(notice), unread: z.number(), nextCursor: z.string().nullable() });

/** The first page of a person's notices, newest first. */
export async function noticesOf({ call }: Pick<Dashboard, 'call'>): Promise<z.output<typeof listed>> {
  const response = await call('GET', '/notices');
  expect(response.status).toBe(200);
  return listed.parse(response.json());
}

/** Titles of that page. */
export const noticeTitles = async (of: Pick<Dashboard, 'call'>): Promise<string[]> =>
  (await noticesOf(of)).notices.map(({ title }) => title);

/** Emails with a subject to a person, logins included. */
export const noticeMails = (platform: Platform, { email }: Addressee, subject: string): WrittenMail[] =>
  allMailsTo(platform.mailDirectory, email).filter((mail) => mail.subject === subject);

/** The one email with a subject, once it is there. @throws when there are several */
export const onlyNoticeMail = (
  platform: Platform,
  person: Addressee,
  subject: string,
): Promise<WrittenMail> =>
  expectEventually(
    () => {
      const [mail, ...others] = noticeMails(platform, person, subject);
      if (mail === undefined || others.length > 0) throw new Error(`${subject}: ${others.length + 1} emails`);
      return mail;
    },
    { withinMs: 20_000 },
  );

/** Resolves when no email of a person is due, now or later. */
export const settledNotices = (platform: Platform, { id }: Addressee): Promise<void> =>
  expectEventually(
    async () => {
      const due = 'SELECT action FROM notices WHERE person_id = $1 AND mail_due_at IS NOT NULL';
      expect(await platform.sql(due, [id])).toEqual([]);
    },
    { withinMs: 20_000 },
  );
