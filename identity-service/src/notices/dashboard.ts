import { z } from 'zod';
import { nextCursor, pageCursor, readPage } from '../platform/pagination.ts';
import { instant } from '../web/dashboard-api/fields.ts';
import { type Operation, personOperation } from '../web/dashboard-api/operation.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import { type Notice, quietableTopics, type Topic, topics } from './notice.ts';
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

const topicChoice = z
  .object({
    topic: z.string(),
    label: z.string(),
    description: z.string(),
    byEmail: z.boolean(),
    isFixed: z.boolean().describe('Whether it is always emailed.'),
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
  summary: 'Topics of notices, and which of them the person gets by email.',
  query: none,
  body: noBody,
  response: z.object({ topics: z.array(topicChoice) }),
});

const chosenTopics = z.strictObject({
  byEmail: z
    .array(z.string())
    .max(20)
    .describe('Topics to get by email; those that are fixed need not be named.'),
});

const chooseNoticeTopics = declare({
  id: 'chooseNoticeTopics',
  method: 'PUT',
  path: '/notices/topics',
  summary: 'Chooses which topics are emailed.',
  query: none,
  body: chosenTopics,
  response: z.object({ topics: z.array(topicChoice) }),
});

export const noticeSpecs = [listNotices, markNoticesRead, listNoticeTopics, chooseNoticeTopics];

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

function toChoices(quiet: readonly Topic[]): z.input<typeof topicChoice>[] {
  return Object.entries(topics).map(([topic, words]) => ({
    topic,
    ...words,
    byEmail: !quiet.some((each) => each === topic),
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
      topics: toChoices(await notices.quietTopics(personId)),
    })),
    personOperation(chooseNoticeTopics, async ({ personId, body: { byEmail } }) => {
      const quiet = quietableTopics.filter((topic) => !byEmail.includes(topic));
      await notices.setQuietTopics(personId, quiet);
      return { topics: toChoices(quiet) };
    }),
  ];
}
