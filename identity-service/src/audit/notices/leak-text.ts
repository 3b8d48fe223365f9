import { addressWithoutLink, withoutLinks } from '../../web/mail-message.ts';
import type { Notice } from './notice.ts';
import { appOf, by, type Describe, from, keyOf, keyPage, type NoticeText, pathIn } from './notice-words.ts';

/** " was found at … and reported as leaked by “…”." Strangers wrote the place and the reporter. */
function foundOf({ details: { place: url, source } }: Notice): string {
  const place = typeof url === 'string' ? `found at ${addressWithoutLink(url)} and ` : '';
  const reporter = typeof source === 'string' ? ` by “${withoutLinks(source)}”` : '';
  return ` was ${place}reported as leaked${reporter}.`;
}

const newKey = (notice: Notice): NoticeText['next'] => ({
  label: 'Create another key',
  path: pathIn(notice, '/settings/developers/keys/new'),
});

const lastStep =
  'Then check under Requests whether others have used the key, and remove it from the place where it was found.';

/** The notice of a leaked key by the outcome: the act of the policy, and advice. */
function leakedKey(notice: Notice): NoticeText {
  const found = `The API key ${keyOf(notice)}${foundOf(notice)}`;
  const { outcome } = notice.details;
  if (outcome === 'deleted') {
    return {
      title: 'A leaked API key was deleted',
      text: `${found} It was deleted at once, as your settings for leaked keys say: every request with it is refused. Create another key for the programs that used it. ${lastStep}`,
      next: newKey(notice),
    };
  }
  if (outcome === 'frozen') {
    return {
      title: 'A leaked API key was frozen',
      text: `${found} It was frozen at once, as your settings for leaked keys say: every request with it is refused. Rotate it, give your program the new string, then lift the freeze. If no program needs the key, delete it. ${lastStep}`,
      next: keyPage(notice),
    };
  }
  if (outcome === 'already_frozen') {
    return {
      title: 'A frozen API key has leaked',
      text: `${found} It was already frozen: every request with it is refused. Rotate it before you lift the freeze, or delete it. ${lastStep}`,
      next: keyPage(notice),
    };
  }
  return {
    title: 'Replace this API key: it has leaked',
    text: `${found} It still works, also for others who have it: nothing was changed, as your settings for leaked keys say. Rotate it and give your program the new string, or freeze it until you can. ${lastStep}`,
    next: { ...keyPage(notice), label: 'Replace the key' },
  };
}

const policies: Readonly<Record<string, string>> = {
  notify: 'leaked API keys keep working, and the owners are informed',
  freeze: 'leaked API keys are frozen, and the owners are informed',
  delete: 'leaked API keys are deleted, and the owners are informed',
};

const policyOf = ({ details: { leakPolicy } }: Notice): string => {
  const to = typeof leakPolicy === 'object' && leakPolicy !== null && 'to' in leakPolicy ? leakPolicy.to : '';
  return policies[String(to)] ?? String(to);
};

/** Notices of credentials that leaked, and of what is done about them, by action. */
export const leakDescriptions: Readonly<Record<string, Describe>> = {
  'api_key.leaked': leakedKey,
  'api_key.deleted': (notice) => ({
    title: 'An API key revoked itself',
    text: `The API key ${keyOf(notice)} was deleted by a request that was sent with the key itself${from(notice)}. Programs and people do that when they find a leaked key. Every request with it is refused from now on.`,
    next: newKey(notice),
  }),
  'application.secret_leaked': (notice) => ({
    title: 'Rotate this client secret: it has leaked',
    text: `The client secret (…${String(notice.details.lastFour)}) of ${appOf(notice)}${foundOf(notice)} It still works. Rotate it without keeping the old one, and remove it from the place where it was found.`,
    next: {
      label: 'Rotate the client secret',
      path: pathIn(notice, `/settings/developers/apps/${notice.subjectId}`),
    },
  }),
  'business.leak_policy_set': (notice) => ({
    title: 'The policy for leaked API keys was changed',
    text: `From now on, ${policyOf(notice)}. This was changed${by(notice)}${from(notice)}.`,
    next: { label: 'See the business settings', path: pathIn(notice, '/settings/business') },
  }),
};
