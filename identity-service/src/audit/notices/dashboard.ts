import { z } from 'zod';
import { nextCursor, pageCursor, readPage } from '../../platform/pagination.ts';
import { instant } from '../../web/dashboard-api/fields.ts';
import { type Operation, personOperation } from '../../web/dashboard-api/operation.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import type { EmailChoices } from './digests-store.ts';
import { chosenTopics, type EmailChoice, emailChoices, type Notice, topics } from './notice.ts';
import { describeNotice } from './notice-text.ts';
import type { NoticeStore } from './store.ts';

const notice = z
  .object({
    id: z.string(),
    at: instant,
    title: z.string(),
    text: z.string(),
    businessId: z.string().nullable().describe('null for what concerns the person alone.'),
    path: z.string().describe('Page about it.'),
    isRead: z.boolean(),
  })
  .meta({ id: 'Notice' });

const emailChoice = z
  .enum(emailChoices)
  .describe('daily: what happens within a day comes in one email, a day after the first notice of it.')
  .meta({ id: 'EmailChoice' });

const topicChoice = z
  .object({
    topic: z.string(),
    label: z.string(),
    description: z.string(),
    email: emailChoice,
    isFixed: z.boolean().describe('Whether it is always emailed at once.'),
  })
  .meta({ id: 'NoticeTopic' });

const listNotices = declare({
  id: 'listNotices',
  method: 'GET',
  path: '/notices',
  summary: 'Notices of the person, newest first, page by page; kept for 90 days.',
  query: z.strictObject({ cursor: pageCursor.optional() }),
  body: noBody,
  response: z.object({ notices: z.array(notice), unread: z.int().min(0), nextCursor }),
});

const markNoticesRead = declare({
  id: 'markNoticesRead',
  method: 'POST',
  path: '/notices/read',
  summary: 'Marks every notice of the person as read.',
  query: none,
  body: noBody,
  status: 204,
  response: noBody,
});

const listNoticeTopics = declare({
  id: 'listNoticeTopics',
  method: 'GET',
  path: '/notices/topics',
  summary: 'Topics of notices, and when the person gets them by email.',
  query: none,
  body: noBody,
  response: z.object({ topics: z.array(topicChoice) }),
});

const changeNoticeTopics = declare({
  id: 'changeNoticeTopics',
  method: 'PATCH',
  path: '/notices/topics',
  summary: 'Changes when topics are emailed. What waits for an email of the day follows the new choice.',
  query: none,
  body: z.strictObject({
    emails: z
      .partialRecord(z.enum(chosenTopics), emailChoice)
      .describe('By topic; those that are not named keep their choice.'),
  }),
  response: z.object({ topics: z.array(topicChoice) }),
});

export const noticeSpecs = [listNotices, markNoticesRead, listNoticeTopics, changeNoticeTopics];

function toNotice(stored: Notice): z.input<typeof notice> {
  const { title, text, next } = describeNotice(stored);
  const { id, at, businessId, isRead } = stored;
  return {
    id,
    at,
    title,
    text,
    businessId: businessId?.toString() ?? null,
    path: next.path,
    isRead,
  };
}

function toTopics(choices: EmailChoices): z.input<typeof topicChoice>[] {
  const emails: Readonly<Record<string, EmailChoice>> = choices;
  return Object.entries(topics).map(([topic, words]) => ({
    topic,
    ...words,
    email: emails[topic] ?? 'at_once',
  }));
}

/** Operations on the person's notices. */
export function noticeOperations({ notices }: { readonly notices: NoticeStore }): Operation[] {
  return [
    personOperation(listNotices, async ({ personId, query: { cursor } }) => {
      const [page, unread] = await Promise.all([
        readPage(
          cursor,
          ({ at, id }: Notice) => ({ at, id }),
          (wanted) => notices.list(personId, wanted),
        ),
        notices.countUnread(personId),
      ]);
      return { notices: page.entries.map(toNotice), unread, nextCursor: page.nextCursor };
    }),
    personOperation(markNoticesRead, ({ personId }) => notices.markAllRead(personId)),
    personOperation(listNoticeTopics, async ({ personId }) => ({
      topics: toTopics(await notices.choices(personId)),
    })),
    personOperation(changeNoticeTopics, async ({ personId, body: { emails } }) => ({
      topics: toTopics(await notices.changeChoices(personId, emails)),
    })),
  ];
}
