import { addressWithoutLink, withoutLinks } from '../../web/mail-message.ts';
import type { Notice } from './notice.ts';
import { appOf, by, type Describe, from, keyOf, keyPage, type NoticeText, pathIn } from './notice-words.ts';

/** Where it was found, as the reporter says: both are written by strangers. */
function placeOf({ details: { place: url, source } }: Notice): string {
  const place = typeof url === 'string' ? ` at ${addressWithoutLink(url)}` : '';
  const reporter = typeof source === 'string' ? `, as “${withoutLinks(source)}” reported` : '';
  return `was found by others${place}${reporter}`;
}

const newKey = (notice: Notice): NoticeText['next'] => ({
  label: 'Create another key',
  path: pathIn(notice, '/settings/developers/keys/new'),
});

const lastStep =
  'Then see under Requests and in the audit log whether it was used, and remove it from where it was found.';

/** The notice of a leaked key by the outcome: the act of the policy, and advice. */
function leakedKey(notice: Notice): NoticeText {
  const found = `The API key ${keyOf(notice)} ${placeOf(notice)}.`;
  const { outcome } = notice.details;
  if (outcome === 'deleted') {
    return {
      title: 'A leaked API key was deleted',
      text: `${found} It was deleted at once, as your policy for leaked keys says: requests with it are refused. Create another key and deploy it. ${lastStep}`,
      next: newKey(notice),
    };
  }
  if (outcome === 'frozen') {
    return {
      title: 'A leaked API key was frozen',
      text: `${found} It was frozen at once, as your policy for leaked keys says: requests with it are refused. Create another key, deploy it, and delete this one. ${lastStep}`,
      next: keyPage(notice),
    };
  }
  if (outcome === 'already_frozen') {
    return {
      title: 'A frozen API key has leaked',
      text: `${found} It is frozen: requests with it are refused. Do not lift the freeze: create another key, deploy it, and delete this one. ${lastStep}`,
      next: keyPage(notice),
    };
  }
  return {
    title: 'Replace this API key: it has leaked',
    text: `${found} Nothing was changed, as your policy for leaked keys says: the key still works, for others too. Rotate it, or create another key, deploy it and delete this one. ${lastStep}`,
    next: { ...keyPage(notice), label: 'Replace the key' },
  };
}

const policies: Readonly<Record<string, string>> = {
  notify: 'keys that leak go on working, and only the owners are informed',
  freeze: 'keys that leak are frozen',
  delete: 'keys that leak are deleted',
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
    text: `The API key ${keyOf(notice)} was deleted by a request with the key itself${from(notice)}, as programs and people send it that find a leaked key. Requests with it are refused.`,
    next: newKey(notice),
  }),
  'application.secret_leaked': (notice) => ({
    title: 'Rotate this client secret: it has leaked',
    text: `The client secret (…${String(notice.details.lastFour)}) of ${appOf(notice)} ${placeOf(notice)}. Nothing was changed: rotate it, and remove it from where it was found.`,
    next: {
      label: 'Rotate the client secret',
      path: pathIn(notice, `/settings/developers/apps/${notice.subjectId}`),
    },
  }),
  'business.leak_policy_set': (notice) => ({
    title: 'The policy for leaked API keys was changed',
    text: `From now on ${policyOf(notice)}, as was decided${by(notice)}${from(notice)}.`,
    next: { label: 'See the business settings', path: pathIn(notice, '/settings/business') },
  }),
};
