import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { inRequest, requestIdFrom } from '@platform/service-kit/telemetry/request-context.ts';
import { z } from 'zod';
import type { FindBusiness } from '../../clients/business.ts';
import type { EmailContent, SendMail } from '../../web/mail.ts';
import { withoutLinks } from '../../web/mail-message.ts';
import { choiceLink, digestEmail, maxListed } from './digest-email.ts';
import { type Notice, topics } from './notice.ts';
import { describeNotice } from './notice-text.ts';
import { from } from './notice-words.ts';
import type { DueNotice, NoticeStore } from './store.ts';

/** To the replaced address. @param link expires after 72 hours, works once */
export function emailChangedEmail(to: string, from: string, link: string): EmailContent {
  return {
    subject: 'Your email address was changed',
    text: `The email address of your Business API account was changed${from} to ${to}. This address no longer belongs to it.

If it was not you, undo the change. This ends all sessions and asks you for a new password:
${link}

The link works once and expires in 72 hours.
`,
  };
}

interface NoticeEmailsDeps {
  readonly notices: NoticeStore;
  readonly sendMail: SendMail;
  readonly findBusiness: FindBusiness;
  /** Link that puts a replaced email address back; undefined when it can no longer be used. */
  readonly findUndoLink: (undoId: string) => Promise<string | undefined>;
  /** Origin of the links in emails. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

/** Email of a notice. @param businessName undefined for what concerns the person alone */
export function noticeEmail(
  notice: Notice,
  businessName: string | undefined,
  publicUrl: string,
): EmailContent {
  const { title, text, next } = describeNotice(notice);
  const business = businessName === undefined ? '' : `Business: ${withoutLinks(businessName)}\n\n`;
  const choice = topics[notice.topic].isFixed ? '' : `\n${choiceLink(publicUrl)}`;
  return {
    subject: title,
    text: `${text}\n\n${business}${next.label}:\n${publicUrl}${next.path}\n${choice}`,
  };
}

const changedEmail = z.object({ id: z.string(), to: z.string() });

/** Email to the replaced address after a change of address; undefined for other notices, and when the change was undone. */
async function undoEmail(
  { findUndoLink }: NoticeEmailsDeps,
  notice: Notice,
): Promise<EmailContent | undefined> {
  const change = changedEmail.safeParse(notice.details).data;
  if (notice.action !== 'person.email_changed' || change === undefined) return undefined;
  const link = await findUndoLink(change.id);
  return link === undefined ? undefined : emailChangedEmail(change.to, from(notice), link);
}

/** Email of some notices. @throws when business-service, which has their names, is not available */
async function contentOf(
  deps: NoticeEmailsDeps,
  notices: readonly Notice[],
  requestId: string,
): Promise<EmailContent | undefined> {
  const { findBusiness, publicUrl } = deps;
  const names = new Map<number, string | undefined>();
  for (const id of new Set(notices.flatMap(({ businessId }) => businessId ?? []))) {
    names.set(id, (await findBusiness(id, requestId))?.accountHolder);
  }
  const [notice, ...others] = notices;
  if (notice === undefined) return undefined;
  if (others.length > 0) return digestEmail(notices, (id) => names.get(id), publicUrl);
  const name = notice.businessId === undefined ? undefined : names.get(notice.businessId);
  return (await undoEmail(deps, notice)) ?? noticeEmail(notice, name, publicUrl);
}

/** Sends one email. It is sent again when the process ends between its acceptance and `settle`, with the same id. */
async function sendNotice(deps: NoticeEmailsDeps, notice: DueNotice, requestId: string): Promise<void> {
  const { notices, sendMail, publicUrl } = deps;
  const { id, email: to, isWanted, isLate, isDigest } = notice;
  const single = isWanted ? [notice] : [];
  const wanted = isDigest ? await notices.readDigest(id, maxListed + 1) : single;
  const email = isLate ? undefined : await contentOf(deps, wanted, requestId);
  if (email === undefined) return notices.settle(id, false);
  await sendMail({ to, ...email, messageId: `<${id}@${new URL(publicUrl).hostname}>` });
  await notices.settle(id, true);
}

/** Emails of one round at most, before digests are looked for. */
const maxPerRound = 20;

async function sendDue(deps: NoticeEmailsDeps, signal: AbortSignal): Promise<void> {
  for (let count = 0; count < maxPerRound; count++) {
    if (signal.aborted) return;
    const notice = await deps.notices.takeDue();
    if (notice === undefined) break;
    // An id of its own, for the log lines and the calls of this email.
    const requestId = requestIdFrom(undefined);
    await inRequest(requestId, () => sendNotice(deps, notice, requestId)).catch((error: unknown) =>
      deps.logger.warn(
        { err: error, requestId, notice: notice.id, action: notice.action },
        'notice not sent',
      ),
    );
  }
  await deps.notices.gatherDigests();
}

/** Milliseconds between two rounds of emails. */
const emailRoundMs = 2_000;

/** Milliseconds between searches for keys that expire or come near their limit. */
const keyRoundMs = 10_000;

/** Emails notices and records those of keys while the service runs. Each email is sent once, over all replicas. */
export function startNoticeEmails(deps: NoticeEmailsDeps, resources: AsyncDisposableStack): void {
  const { notices, logger } = deps;
  const rounds = [
    { name: 'notices', everyMs: emailRoundMs, round: (signal: AbortSignal) => sendDue(deps, signal) },
    { name: 'key notices', everyMs: keyRoundMs, round: notices.insertKeyNotices },
  ];
  for (const each of rounds) {
    const loop = startLoop({ ...each, logger });
    resources.defer(loop.stop);
  }
}
