import { unknownBrowser } from '../../web/sessions/user-agent.ts';
import { accessDescriptions } from './access-text.ts';
import { leakDescriptions } from './leak-text.ts';
import { isReuse, type Notice } from './notice.ts';
import {
  addressesOf,
  appOf,
  by,
  byOperator,
  causeOf,
  type Describe,
  dayOf,
  daysOf,
  from,
  keyOf,
  keyPage,
  limitOf,
  type NoticeText,
  nameOf,
  newLimitOf,
  passkeyOf,
  pathIn,
  reasonOf,
} from './notice-words.ts';
import { teamDescriptions } from './team-text.ts';

const newPassword = {
  label: 'If it was not you, set a new password',
  path: '/password/forgot',
};

const browserOf = ({ details: { newBrowser } }: Notice): string =>
  newBrowser === unknownBrowser ? '' : `: ${String(newBrowser)}`;

/** A change that an attacker would make too. */
const change =
  (title: string): Describe =>
  (notice) => ({
    title,
    text: `${title} at Business API${byOperator(notice)}${from(notice)}.${reasonOf(notice)}`,
    next: newPassword,
  });

const appPage = (notice: Notice, applicationId: string): NoticeText['next'] => ({
  label: 'See the app',
  path: pathIn(notice, `/settings/developers/apps/${applicationId}`),
});

const descriptions: Readonly<Record<string, Describe>> = {
  ...teamDescriptions,
  ...accessDescriptions,
  ...leakDescriptions,
  'person.logged_in': (notice) => ({
    title: 'Login from a new browser',
    text: `A browser that was not known logged in to your account${from(notice)}${browserOf(notice)}.`,
    next: newPassword,
  }),
  'person.password_changed': change('Your password was changed'),
  'person.password_reset': change('Your password was reset'),
  'person.email_changed': (notice) => ({
    title: 'Your email address was changed',
    text: `Your email address at Business API was changed${from(notice)}. The old address got an email with a link that undoes this for 72 hours.`,
    next: newPassword,
  }),
  'person.email_change_undone': (notice) => ({
    title: 'Your email address was put back',
    text: `The change of your email address at Business API was undone${from(notice)} with the link in our email. All sessions have ended, and your password no longer works.`,
    next: { label: 'Set a new password', path: '/password/forgot' },
  }),
  'person.second_factor_enabled': change('Your second factor was turned on'),
  'person.second_factor_disabled': change('Your second factor was turned off'),
  'person.recovery_codes_renewed': change('Your recovery codes were replaced'),
  'person.passkey_added': (notice) => ({
    title: 'A passkey was added',
    text: `The passkey ${nameOf(notice)} was added to your account at Business API${from(notice)}. It logs in without the password.`,
    next: { label: 'If it was not you, remove it and change your password', path: '/dashboard/profile' },
  }),
  'person.passkey_removed': (notice) => ({
    title: 'A passkey was removed',
    text: `${passkeyOf(notice)} was removed from your account at Business API${byOperator(notice)}${from(notice)}. It no longer logs in.${reasonOf(notice)}`,
    next: newPassword,
  }),
  'person.passkey_refused': (notice) => ({
    title: 'A passkey was refused',
    text: `A login with one of your passkeys was refused${from(notice)}: its counter of uses went backward. A copy of it may exist.`,
    next: { label: 'Remove it and add a new one', path: '/dashboard/profile' },
  }),
  'grant.created': (notice) => ({
    title: 'An app was connected',
    text: `${appOf(notice)} was connected${by(notice)}. It can use what was approved until it is disconnected.`,
    next: { label: 'See connected apps', path: pathIn(notice, '/connected') },
  }),
  'grant.ended': (notice) => (isReuse(notice.details.reason) ? endedByReuse(notice) : ended(notice)),
  'application.connection_ended': (notice) => ({
    title: 'A connection of your app was ended for security',
    text: `The connection of ${String(notice.details.business)} with ${appOf(notice)} was ended, because ${reusedOf(notice)}: it may have been stolen from the app, or the app repeated a request. The business has to connect it again.`,
    next: { label: 'See the audit log', path: pathIn(notice, '/audit') },
  }),
  'application.suspended': (notice) => ({
    title: 'An app was suspended',
    text: `${appOf(notice)} was suspended${causeOf(notice)}: its requests are refused. Connections and tokens are kept.${reasonOf(notice)}`,
    next: { label: 'See the audit log', path: pathIn(notice, '/audit') },
  }),
  'application.resumed': (notice) => ({
    title: 'An app was resumed',
    text: `${appOf(notice)} was resumed${causeOf(notice)}. The same tokens work again unless it is suspended otherwise.${reasonOf(notice)}`,
    next: { label: 'See the audit log', path: pathIn(notice, '/audit') },
  }),
  'business.frozen': (notice) => ({
    title: 'API access was frozen',
    text: `API access was frozen${by(notice)}: every request with a key or through an app is refused.${reasonOf(notice)}`,
    next: { label: 'See the business settings', path: pathIn(notice, '/settings/business') },
  }),
  'business.unfrozen': (notice) => ({
    title: 'API access works again',
    text: `The freeze was lifted${by(notice)}: keys and apps work again.${notice.actorKind === 'operator' ? reasonOf(notice) : ''}`,
    next: { label: 'See the audit log', path: pathIn(notice, '/audit') },
  }),
  'api_key.frozen': (notice) => ({
    title: 'An API key was frozen',
    text: `The API key ${keyOf(notice)} was frozen${by(notice)}: its requests are refused until the freeze is lifted. Other keys and apps work.${reasonOf(notice)}`,
    next: keyPage(notice),
  }),
  'api_key.unfrozen': (notice) => ({
    title: 'An API key works again',
    text: `The freeze of the API key ${keyOf(notice)} was lifted${by(notice)}: the same key string works again.`,
    next: keyPage(notice),
  }),
  'business.ending': (notice) => ({
    title: 'A sandbox will end soon',
    text: 'No API request has come to this sandbox for 76 days. Unless one comes within 14 days of this notice, the sandbox ends, and its keys, apps, connections, webhook endpoints and orders are deleted. Any API request keeps it for another 90 days.',
    next: { label: 'See the sandbox', path: pathIn(notice, '/sandbox') },
  }),
  'business.ended': (notice) => ({
    title: 'A sandbox has ended',
    text: `The sandbox was ended${by(notice)}. Its keys, apps, connections, webhook endpoints and orders were deleted. You can make another one at any time.`,
    next: { label: 'Go to the dashboard', path: '/dashboard' },
  }),
  'business.verified': (notice) => ({
    title: 'Your business is verified',
    text: `The verification is complete: the business can register and connect apps.${reasonOf(notice)}`,
    next: { label: 'Register an app', path: pathIn(notice, '/settings/developers/apps') },
  }),
  'business.verification_rejected': (notice) => ({
    title: 'Your business could not be verified',
    text: `What you submitted could not be verified. The reason: ${String(notice.details.reason)} You can submit it again.`,
    next: { label: 'Submit it again', path: pathIn(notice, '/settings/business') },
  }),
  'business.logo_removed': (notice) => ({
    title: 'Your logo was removed',
    text: `The logo of the business was removed${by(notice)}.${reasonOf(notice)} You can add another one.`,
    next: { label: 'Add a logo', path: pathIn(notice, '/settings/business') },
  }),
  'business.banned': (notice) => ({
    title: 'Your business was banned',
    text: `The business was banned. Its API requests are refused except for its own record, and its apps are suspended.${reasonOf(notice)}`,
    next: { label: 'See the audit log', path: pathIn(notice, '/audit') },
  }),
  'business.unbanned': (notice) => ({
    title: 'The ban on your business was lifted',
    text: `The ban was lifted: API requests are accepted again, and its apps are resumed.${reasonOf(notice)}`,
    next: { label: 'See the audit log', path: pathIn(notice, '/audit') },
  }),
  'business.key_lifetime_set': (notice) => ({
    title: 'The lifetime of API keys was changed',
    text: `The rule how long new API keys can last was changed${by(notice)}${from(notice)}. Existing keys keep working.`,
    next: { label: 'See the rule', path: pathIn(notice, '/settings/business') },
  }),
  'business.second_factor_required': (notice) => ({
    title: 'A second factor is now required',
    text: `Everyone in the business needs a second factor, as was decided${by(notice)}${from(notice)}: without an authenticator app or a passkey a person has no access to it. API keys and connected apps keep working.`,
    next: { label: 'See your second factor', path: '/dashboard/profile' },
  }),
  'business.second_factor_optional': (notice) => ({
    title: 'A second factor is no longer required',
    text: `The business no longer requires a second factor of its people, as was decided${by(notice)}${from(notice)}.`,
    next: { label: 'See the business settings', path: pathIn(notice, '/settings/business') },
  }),
  'api_key.limit_set': (notice) => {
    const { verb, change } = newLimitOf(notice);
    return {
      title: `The limit of an API key was ${verb}`,
      text: `The limit of the API key ${nameOf(notice)} was ${verb} ${change} requests in any hour${by(notice)}.${reasonOf(notice)}`,
      next: keyPage(notice),
    };
  },
  'application.limit_set': (notice) => {
    const { verb, change } = newLimitOf(notice);
    return {
      title: `The limit of an app was ${verb}`,
      text: `The limit of ${appOf(notice)} was ${verb} ${change} connected businesses${by(notice)}.${reasonOf(notice)}`,
      next: appPage(notice, notice.subjectId),
    };
  },
  'limit_request.declined': (notice) => {
    const { kind, subjectId } = notice.details;
    const isOfKey = kind === 'rate_limit';
    const unit = isOfKey ? 'requests in any hour' : 'connected businesses';
    return {
      title: 'A higher limit was declined',
      text: `The request for ${limitOf(notice)} ${unit} for ${isOfKey ? 'the API key' : 'the app'} ${nameOf(notice)} was declined: the limit stays as it is.${reasonOf(notice)}`,
      next: isOfKey
        ? keyPage({ ...notice, subjectId: String(subjectId) })
        : appPage(notice, String(subjectId)),
    };
  },
  'api_key.exposed': (notice) => ({
    title: 'Rotate this key: it crossed the network unencrypted',
    text: `A request with the API key ${keyOf(notice)} came over http${from(notice)}. It was refused, but others could read the key on the way: rotate this key, and have its program use https.`,
    next: { ...keyPage(notice), label: 'Rotate the key' },
  }),
  'access_token.exposed': (notice) => ({
    title: 'A token of an app crossed the network unencrypted',
    text: `${appOf(notice)} sent an access token of your business over http${from(notice)}. The request was refused, but others could read the token on the way, and it is valid for up to an hour.`,
    next: { label: 'Disconnect the app, or ask its publisher', path: pathIn(notice, '/connected') },
  }),
  'client_secret.exposed': (notice) => ({
    title: 'Rotate this client secret: it crossed the network unencrypted',
    text: `A request with the client secret (…${String(notice.details.lastFour)}) of ${appOf(notice)} came over http${from(notice)}. It was refused, but others could read the secret on the way: rotate this client secret, and have the app use https.`,
    next: {
      label: 'Rotate the client secret',
      path: pathIn(notice, `/settings/developers/apps/${notice.subjectId}`),
    },
  }),
  'api_key.limit_near': (notice) => ({
    title: 'An API key is near its limit',
    text: `The API key ${keyOf(notice)} has used 80% of its ${limitOf(notice)} requests in the rolling hour. Beyond them requests get 429.`,
    next: keyPage(notice),
  }),
  'api_key.limit_reached': (notice) => ({
    title: 'An API key has reached its limit',
    text: `Requests with the API key ${keyOf(notice)} were refused with 429, for the first time today: it had reached its limit of ${limitOf(notice)} requests in the rolling hour.`,
    next: keyPage(notice),
  }),
  'api_key.old_string_used': (notice) => {
    const { calls, reason } = notice.details;
    const isDeleted = reason === 'deleted';
    const advice = isDeleted ? 'another key, or stop it' : 'the key’s present string';
    return {
      title: 'An old string of an API key is still used',
      text: `A program still sends a string of the API key ${keyOf(notice)} that was ${isDeleted ? 'deleted' : 'rotated'} on ${dayOf(notice)}: ${Number(calls).toLocaleString('en')} calls were refused until now, the last from ${addressesOf(notice)}. Give the program there ${advice}. If none of your programs runs there, the string was stolen; it no longer gives access.`,
      next: {
        label: 'See the refused calls',
        path: pathIn(notice, `/settings/developers/requests?credential=${notice.subjectId}`),
      },
    };
  },
  'api_key.expiring': (notice) => ({
    title: `An API key expires ${daysOf(notice)}`,
    text: `The API key ${keyOf(notice)} expires ${daysOf(notice)}. An expiration cannot be changed: create another key with the same settings and deploy it before.`,
    next: keyPage(notice),
  }),
};

function causeOfEnd(notice: Notice): string {
  if (notice.details.reason !== 'revoked') return by(notice);
  return notice.actorKind === 'system' ? ', because its refresh token has leaked' : ' by the app itself';
}

function ended(notice: Notice): NoticeText {
  return {
    title: 'An app was disconnected',
    text: `${appOf(notice)} was disconnected${causeOfEnd(notice)}. Its tokens no longer work.`,
    next: { label: 'See connected apps', path: pathIn(notice, '/connected') },
  };
}

/** The cause in words: a code or token, used twice, and from where. */
function reusedOf(notice: Notice): string {
  const what = notice.details.reason === 'code_reuse' ? 'an authorization code' : 'a refresh token';
  return `${what} of it was used twice${from(notice)}`;
}

function endedByReuse(notice: Notice): NoticeText {
  return {
    title: 'A connection was ended for security',
    text: `The connection with ${appOf(notice)} was ended, because ${reusedOf(notice)}: it may have been stolen, or the app repeated a request. Connect it again if you trust it.`,
    next: { label: 'See connected apps', path: pathIn(notice, '/connected') },
  };
}

/** A notice in words; one of a newer release by its action. */
export function describeNotice(notice: Notice): NoticeText {
  const described = descriptions[notice.action]?.(notice);
  if (described !== undefined) {
    const { text } = described;
    return { ...described, text: `${text.charAt(0).toUpperCase()}${text.slice(1)}` };
  }
  return {
    title: notice.action,
    text: notice.action,
    next: { label: 'Open the dashboard', path: '/dashboard' },
  };
}
