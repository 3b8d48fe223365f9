import { z } from 'zod';
import { withoutLinks } from '../../web/mail-message.ts';
import { limitsOf, type Notice } from './notice.ts';

/** A notice in words. */
export interface NoticeText {
  /** Also the subject of the email. */
  readonly title: string;
  /** Sentences. */
  readonly text: string;
  /** Advice, and its page. */
  readonly next: { readonly label: string; readonly path: string };
}

/** Words of the notices of one action. */
export type Describe = (notice: Notice) => NoticeText;

export function pathIn({ businessId }: Notice, path: string): string {
  return businessId === undefined ? '/dashboard' : `/dashboard/${businessId}${path}`;
}

/** Names that other people chose, without anything that a mail client would turn into a link. */
export const nameOf = ({ details }: Notice): string => `“${withoutLinks(String(details.name ?? ''))}”`;

export const appOf = (notice: Notice): string => `the app ${nameOf(notice)}`;

export const passkeyOf = (notice: Notice): string =>
  typeof notice.details.name === 'string' ? `the passkey ${nameOf(notice)}` : 'a passkey';

export const keyOf = (notice: Notice): string => `${nameOf(notice)} (…${String(notice.details.lastFour)})`;

export const limitOf = ({ details: { limit } }: Notice): string => Number(limit).toLocaleString('en');

export const keyPage = (notice: Notice): NoticeText['next'] => ({
  label: 'See the key',
  path: pathIn(notice, `/settings/developers/keys/${notice.subjectId}`),
});

/** Address of the browser that did it, in a sentence. */
export const from = ({ clientIp }: Notice): string => (clientIp === undefined ? '' : ` from ${clientIp}`);

/** Of what people do to their own account, unless an operator does. */
export const byOperator = ({ actorKind }: Notice): string =>
  actorKind === 'operator' ? ' by our support' : '';

export function by({ actorKind, actorName }: Notice): string {
  if (actorKind === 'operator') return ' by our support';
  return actorName === undefined ? '' : ` by ${withoutLinks(actorName)}`;
}

/** Hides the names of the publisher's people from businesses that connected its app. */
export function causeOf(notice: Notice): string {
  const { cause } = notice.details;
  if (cause === 'ban') return ', as we banned its publisher or lifted the ban';
  return cause === 'operator' ? ' by our support' : ' by its publisher';
}

/** The reason of the change; that of an operator is shown in full. */
export function reasonOf({ actorKind, details: { reason } }: Notice): string {
  if (typeof reason !== 'string' || reason === '') return '';
  return ` Reason: “${actorKind === 'operator' ? reason : withoutLinks(reason)}”.`;
}

/** A changed limit: the verb, and `from 10,000 to 500`. */
export function newLimitOf({ details }: Notice): { readonly verb: string; readonly change: string } {
  const { from = 0, to = 0 } = limitsOf(details);
  const change = `from ${from.toLocaleString('en')} to ${to.toLocaleString('en')}`;
  return { verb: to < from ? 'lowered' : 'raised', change };
}

/** When a string ended, such as `29 Nov 2026, 14:02 UTC`. */
export function dayOf({ details: { retiredAt } }: Notice): string {
  return `${utc.format(Number(retiredAt))} UTC`;
}

const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Addresses of calls, the latest first. */
export const addressesOf = ({ details: { addresses } }: Notice): string =>
  z.array(z.string()).parse(addresses).join(', before that ');

export function daysOf({ details: { days } }: Notice): string {
  return days === 1 ? 'within a day' : `within ${String(days)} days`;
}
