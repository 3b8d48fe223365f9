import { addressWithoutLink } from '../../web/mail-message.ts';
import { addedEntries, type Notice } from './notice.ts';
import { appOf, by, type Describe, from, keyOf, keyPage, nameOf, pathIn } from './notice-words.ts';

const appPage = (notice: Notice) => ({
  label: 'If you do not expect it, look at the app',
  path: pathIn(notice, `/settings/developers/apps/${notice.subjectId}`),
});

const endpointsPage = (notice: Notice) => ({
  label: 'If you do not expect it, delete the endpoint',
  path: pathIn(notice, '/settings/developers/webhooks'),
});

const endpointOf = ({ details }: Notice): string => addressWithoutLink(String(details.endpoint ?? ''));

const count = (entries: readonly string[], one: string, many: string): string[] =>
  entries.length === 0 ? [] : [`${entries.length} ${entries.length === 1 ? one : many}`];

/** Counts redirect URIs instead of naming them, because mail clients would turn them into links. */
function addedTo(notice: Notice): string {
  const { redirectUris, ipWhitelist } = addedEntries(notice.details);
  const what = [
    ...count(redirectUris, 'redirect URI', 'redirect URIs'),
    ...count(ipWhitelist, 'IP address', 'IP addresses'),
  ].join(' and ');
  return redirectUris.length + ipWhitelist.length === 1 ? `${what} was added` : `${what} were added`;
}

/** Notices of changes that give access to a business or its apps, by action. */
export const accessDescriptions: Readonly<Record<string, Describe>> = {
  'api_key.created': (notice) => ({
    title: 'A secret key was created',
    text: `The secret key ${keyOf(notice)} was created${by(notice)}${from(notice)}. It can do all that the API offers.`,
    next: { ...keyPage(notice), label: 'If you do not expect it, delete the key' },
  }),
  'api_key.rotated': (notice) => ({
    title: 'A secret key was rotated',
    text: `The secret key ${nameOf(notice)} was rotated${by(notice)}${from(notice)}; its new string was shown there. The old string no longer works.`,
    next: { ...keyPage(notice), label: 'If you do not expect it, rotate the key' },
  }),
  'api_key.updated': (notice) => ({
    title: 'An API key can be used from elsewhere',
    text: `The IP whitelist of the API key ${nameOf(notice)} was changed${by(notice)}${from(notice)}: it admits addresses that it refused before.`,
    next: { ...keyPage(notice), label: 'If you do not expect it, look at the key' },
  }),
  'application.created': (notice) => ({
    title: 'An app was registered',
    text: `${appOf(notice)} was registered${by(notice)}${from(notice)}; its client secret was shown there.`,
    next: appPage(notice),
  }),
  'application.secret_rotated': (notice) => ({
    title: 'A client secret was created',
    text: `A client secret of ${appOf(notice)} was created${by(notice)}${from(notice)}; it was shown there.`,
    next: appPage(notice),
  }),
  'application.updated': (notice) => ({
    title: 'An app can be used from elsewhere',
    text: `${addedTo(notice)} to ${appOf(notice)}${by(notice)}${from(notice)}.`,
    next: appPage(notice),
  }),
  'webhook_endpoint.created': (notice) => ({
    title: 'A webhook endpoint was added',
    text: `Events are sent to ${endpointOf(notice)} from now on, as was set up${by(notice)}${from(notice)}.`,
    next: endpointsPage(notice),
  }),
  'webhook_endpoint.updated': (notice) => ({
    title: 'The URL of a webhook endpoint was changed',
    text: `Events are sent to ${endpointOf(notice)} from now on, as was set up${by(notice)}${from(notice)}.`,
    next: endpointsPage(notice),
  }),
};
