import { isRole, roleWithArticle } from '../platform/role.ts';
import type { RecordedEvent } from './event.ts';
import { grantEnds, keyDeletions, leakOutcomes, logins, resumptions, suspensions } from './event-causes.ts';

/** Labels of the fields in an event's details, in their order. Other fields have the words of their name. */
const detailLabels: ReadonlyMap<string, string> = new Map([
  ['name', 'Name'],
  ['description', 'Description'],
  ['keyType', 'Type'],
  ['scopes', 'Permissions'],
  ['limit', 'Limit'],
  ['expiresAt', 'Expires'],
  ['lastFour', 'Last four characters'],
  ['clientId', 'Client ID'],
  ['redirectUris', 'Redirect URIs'],
  ['ipWhitelist', 'IP whitelist'],
  ['webhooksEnabled', 'Webhooks'],
  ['webhookEvents', 'Webhook events'],
  ['endpoint', 'Endpoint'],
  ['url', 'URL'],
  ['event', 'Event'],
  ['delivery', 'Delivery'],
  ['sinceAt', 'Since'],
  ['failingSinceAt', 'Failing since'],
  ['deliveries', 'Deliveries'],
  ['oldSecret', 'Old secret'],
  ['findings', 'Findings'],
  ['allowedOrigins', 'Allowed origins'],
  ['repeatLostRefresh', 'Repeat a lost refresh'],
  ['secret', 'Client secret'],
  ['added', 'New client secret'],
  ['ended', 'Ended client secrets'],
  ['secondFactor', 'Second factor'],
  ['newBrowser', 'New browser'],
  ['reason', 'Reason'],
  ['business', 'Business'],
  ['role', 'Role'],
  ['email', 'Email address'],
  ['legalName', 'Registered name'],
  ['registrationNumber', 'Registration number'],
  ['country', 'Country'],
  ['accountHolder', 'Display name'],
  ['username', 'Username'],
  ['logo', 'Logo'],
  ['results', 'Results'],
  ['proposal', 'Proposal'],
  ['proposedBy', 'Proposed by'],
  ['confirmed', 'Reason for the confirmation'],
  ['session', 'Session'],
  ['count', 'Sessions'],
  ['memberSecretKeys', 'Secret keys of developers'],
  ['memberScopes', 'Permissions for keys of developers'],
  ['keyEndRequired', 'End of keys required'],
  ['keyMaxDays', 'Longest lifetime of keys, in days'],
  ['leakPolicy', 'Leaked keys'],
  ['place', 'Found at'],
  ['source', 'Reported by'],
]);

/** A formatted value. A number is a time in milliseconds since 1970; null means no value. */
export type DetailValue = string | number | null;

/** A recorded detail. */
interface Fact {
  /** Name in the recorded details. */
  readonly field: string;
  readonly label: string;
  readonly value: DetailValue;
}

/** A changed field. */
interface Change {
  readonly field: string;
  readonly label: string;
  readonly from: DetailValue;
  readonly to: DetailValue;
}

interface EventDetails {
  readonly facts: readonly Fact[];
  readonly changes: readonly Change[];
}

const maxLength = 2_000;

/** Details that only identify the subject. */
const hidden: ReadonlySet<string> = new Set([
  'applicationId',
  'cause',
  'firstFactor',
  'id',
  'invitedBy',
  'kind',
  'outcome',
  'sealedEmail',
]);

/** Splits the recorded details of an event into facts and changes, with labels, in the order of the labels. */
export function readDetails(details: Readonly<Record<string, unknown>>): EventDetails {
  const facts: Fact[] = [];
  const changes: Change[] = [];
  for (const [field, value] of inOrder(details)) {
    const label = labelOf(field);
    const [from, to] = isChange(value)
      ? [toValue(field, value.from), toValue(field, value.to)]
      : [undefined, toValue(field, value)];
    if (from === undefined || from === to) facts.push({ field, label, value: to });
    else changes.push({ field, label, from, to });
  }
  return { facts, changes };
}

function labelOf(field: string): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return detailLabels.get(field) ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Details in the order of `detailLabels`; fields without a label last. */
function inOrder(details: Readonly<Record<string, unknown>>): (readonly [string, unknown])[] {
  const order = [...detailLabels.keys()];
  const rank = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length);
  return Object.entries(details)
    .filter(([field]) => !hidden.has(field))
    .sort(([a], [b]) => rank(a) - rank(b));
}

/** True for a recorded value before and after a change. */
function isChange(value: unknown): value is { readonly from?: unknown; readonly to?: unknown } {
  return typeof value === 'object' && value !== null && ('from' in value || 'to' in value);
}

function toValue(field: string, value: unknown): DetailValue {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return field.endsWith('At') ? value : value.toLocaleString('en');
  return textOf(value).slice(0, maxLength);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(textOf).join(', ');
  const lastFour: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'lastFour') : null;
  return typeof lastFour === 'string' ? `ends with ${lastFour}` : JSON.stringify(value);
}

type Describe = (event: RecordedEvent, thing: string) => string;

/** Description of each action. Begins with a verb, because the actor is shown beside it. */
const descriptions = {
  'api_key.created': (_, key) => `Created ${key}`,
  'api_key.updated': (event, key) => updated(event, key),
  'api_key.rotated': (_, key) => `Rotated ${key}: its old string stopped working`,
  'api_key.limit_set': ({ details }, key) => `Set the rate limit of ${key}${toLimit(details.limit)}`,
  'api_key.frozen': (_, key) => `Froze ${key}: its requests were refused from then on`,
  'api_key.unfrozen': (_, key) => `Lifted the freeze of ${key}: it worked again`,
  'api_key.deleted': ({ details }, key) => keyDeletions[String(details.cause)]?.(key) ?? `Deleted ${key}`,
  'api_key.leaked': ({ details }, key) =>
    leakOutcomes[String(details.outcome)]?.(key) ?? `Informed the owners that ${key} was reported as leaked`,
  'application.created': (_, app) => `Registered ${app}`,
  'application.updated': (event, app) => updated(event, app),
  'application.secret_rotated': ({ details }, app) =>
    endsNothing(details.ended)
      ? `Added a second client secret to ${app}`
      : `Rotated the client secret of ${app}: the old one and all access tokens stopped working`,
  'application.secret_leaked': (_, app) =>
    `Informed the owners that a client secret of ${app} was reported as leaked`,
  'application.secret_deleted': (_, app) => `Deleted a client secret of ${app}`,
  'application.limit_set': ({ details }, app) =>
    `Set the connected user limit of ${app}${toLimit(details.limit)}`,
  'application.suspended': ({ details }, app) =>
    suspensions[String(details.cause)]?.(app) ?? `Suspended ${app}`,
  'application.resumed': ({ details }, app) => resumptions[String(details.cause)]?.(app) ?? `Resumed ${app}`,
  'application.connection_suspended': ({ details }, app) =>
    `Noted that ${businessOf(details.business)} suspended its connection with ${app}`,
  'application.connection_resumed': ({ details }, app) =>
    `Noted that ${businessOf(details.business)} resumed its connection with ${app}`,
  'application.connection_ended': ({ details }, app) =>
    `Ended the access of ${app} to ${businessOf(details.business)}: ${details.reason === 'code_reuse' ? 'an authorization code' : 'a refresh token'} was used twice`,
  'application.deleted': (_, app) => `Deleted ${app}: all businesses were disconnected`,
  'grant.created': (_, app) => `Connected ${app}`,
  'grant.approved_again': ({ details }, app) =>
    isWider(details.scopes) ? `Approved more permissions of ${app}` : `Approved ${app} again`,
  'grant.ended': ({ details }, app) =>
    grantEnds[String(details.reason)]?.(app) ?? `Ended the access of ${app}`,
  'grant.suspended': (_, app) => `Suspended the connection with ${app}: its tokens were refused from then on`,
  'grant.resumed': (_, app) => `Resumed the connection with ${app}: its tokens worked again`,
  'access_token.revoked': (_, app) => `Revoked an access token of ${app}`,
  'person.signed_up': () => 'Signed up',
  'person.logged_in': ({ details }) => logins[String(details.secondFactor)] ?? 'Logged in',
  'person.second_factor_failed': () => 'Entered the correct password, then a wrong second-factor code',
  'person.logged_out': () => 'Logged out',
  'person.session_ended': ({ details }) =>
    typeof details.count === 'number' ? `Ended all other sessions (${details.count})` : 'Ended a session',
  'person.password_changed': () => 'Changed the password: all other sessions ended',
  'person.password_reset_requested': ({ subject }) =>
    `Emailed a link to reset the password of ${subject.name ?? subject.id}`,
  'person.password_reset': () => 'Reset the password through an emailed link: all sessions ended',
  'person.renamed': () => 'Changed their name',
  'person.passkey_added': ({ details }) => `Added the passkey “${details.name}”`,
  'person.passkey_renamed': ({ details: { name } }) =>
    isChange(name) ? `Renamed the passkey “${name.from}” to “${name.to}”` : 'Renamed a passkey',
  'person.passkey_removed': ({ details: { name } }) =>
    typeof name === 'string' ? `Removed the passkey “${name}”` : 'Removed a passkey',
  'person.passkey_refused': () => 'Was refused a passkey that may have been copied: its counter went back',
  'person.second_factor_enabled': () => 'Turned on the second factor',
  'person.second_factor_disabled': () => 'Turned off the second factor',
  'person.recovery_codes_renewed': () => 'Replaced the recovery codes: the old ones stopped working',
  'person.email_change_requested': () => 'Requested a new email address',
  'person.email_change_withdrawn': () => 'Withdrew the new email address',
  'person.email_changed': () => 'Changed the email address',
  'person.email_change_undone': () =>
    'Restored the earlier email address through an emailed link: all sessions ended',
  'person.deleted': () => 'Deleted their account',
  'webhook_endpoint.created': ({ details }) => `Added the webhook endpoint ${details.endpoint}`,
  'webhook_endpoint.updated': ({ details }) => `Changed the webhook endpoint ${details.endpoint}`,
  'webhook_endpoint.enabled': ({ details }) => `Enabled the webhook endpoint ${details.endpoint}`,
  'webhook_endpoint.disabled': ({ details }) => `Disabled the webhook endpoint ${details.endpoint}`,
  'webhook_endpoint.failing': ({ details }) => `Warned the owners that ${details.endpoint} is failing`,
  'webhook_endpoint.deleted': ({ details }) => `Deleted the webhook endpoint ${details.endpoint}`,
  'webhook_endpoint.secret_rotated': ({ details }) =>
    `Rotated the secret of the webhook endpoint ${details.endpoint}`,
  'webhook_endpoint.secret_revealed': ({ details }) =>
    `Viewed the secret of the webhook endpoint ${details.endpoint}`,
  'webhook_endpoint.recovered': ({ details }) => `Recovered deliveries to ${details.endpoint}`,
  'webhook_endpoint.drained': ({ details }) => `Skipped pending deliveries to ${details.endpoint}`,
  'webhook_endpoint.resent': ({ details }) => `Resent ${details.event} to ${details.endpoint}`,
  'webhook_endpoint.checked': ({ details }) => `Checked the receiver at ${details.endpoint}`,
  'webhook_endpoint.tested': ({ details }) => `Sent a test event to ${details.endpoint}`,
  'business.verification_submitted': () => 'Submitted the business for verification',
  'business.verified': () => 'Verified the business',
  'business.verification_rejected': () => 'Rejected the verification of the business',
  'business.banned': () => 'Banned the business: API requests were refused from then on',
  'business.unbanned': () => 'Lifted the ban on the business',
  'business.ban_declined': () => 'Declined to ban the business',
  'business.unban_declined': () => 'Declined to lift the ban on the business',
  'business.created': () => 'Created the business',
  'business.updated': (event) => updated(event, 'the business'),
  'business.logo_removed': () => 'Removed the logo of the business',
  'business.frozen': () => 'Froze API access: all requests were refused from then on',
  'business.unfrozen': () => 'Lifted the freeze: keys and apps worked again',
  'business.ending': () => 'Informed the owners that the sandbox ends in 14 days unless a request comes',
  'business.ended': () => 'Ended the sandbox',
  'business.member_keys_set': () => 'Changed which API keys developers can create',
  'business.key_lifetime_set': () => 'Changed how long new API keys can last',
  'business.leak_policy_set': () => 'Changed what happens to API keys that leak',
  'business.customer_erased': ({ details: { orders } }) =>
    `Erased a customer from ${Number(orders).toLocaleString('en')} ${orders === 1 ? 'order' : 'orders'}`,
  'business.second_factor_required': () => 'Required a second factor for everyone in the business',
  'business.second_factor_optional': () => 'No longer required a second factor',
  'limit_request.created': ({ details }) => `Asked for ${limitOf(details)}`,
  'limit_request.granted': ({ details }) => `Granted ${limitOf(details)}`,
  'limit_request.declined': ({ details }) => `Declined ${limitOf(details)}`,
  'member.invited': ({ details }) => `Invited ${details.email} as ${roleOf(details.role)}`,
  'member.invitation_withdrawn': ({ details }) => `Withdrew the invitation of ${details.email}`,
  'member.joined': ({ details }) => `Accepted an invitation and joined as ${roleOf(details.role)}`,
  'member.role_changed': ({ details: { email, role }, subject }) =>
    `Made ${subject.name ?? email} ${roleOf(isChange(role) ? role.to : role)}`,
  'member.removed': ({ actor, details, subject }) =>
    actor.id === subject.id
      ? 'Left the business'
      : `Removed ${subject.name ?? details.email} from the business`,
} satisfies Readonly<Record<string, Describe>>;

const things: Readonly<Record<string, string>> = {
  api_key: 'the API key',
  application: 'the app',
  grant: 'the app',
  access_token: 'the app',
};

/** A recorded action. */
export type Action = keyof typeof descriptions;

/** Actions that have a description. */
export const knownActions: readonly string[] = Object.keys(descriptions);

const describes = new Map<string, Describe>(Object.entries(descriptions));

/** Describes an event; an unknown action is its own description. */
export function describeEvent(event: RecordedEvent): string {
  return describes.get(event.action)?.(event, thingOf(event)) ?? event.action;
}

function thingOf({ subject: { kind, name, id } }: RecordedEvent): string {
  return `${things[kind] ?? kind} ${name === undefined ? id : `“${name}”`}`;
}

function updated({ details, subject }: RecordedEvent, thing: string): string {
  const changed = Object.keys(details).filter((field) => isChange(details[field]));
  if (changed.length === 0) return `Saved ${thing} without changes`;
  const { name } = details;
  if (changed.length === 1 && isChange(name)) {
    return `Renamed ${things[subject.kind] ?? subject.kind} “${name.from}” to “${name.to}”`;
  }
  const labels = changed.map((field) => inSentence(labelOf(field)));
  return `Changed ${labels.slice(0, -1).join(', ')}${labels.length > 1 ? ' and ' : ''}${labels.at(-1)} of ${thing}`;
}

/** `Redirect URIs` becomes `redirect URIs`; `IP whitelist` stays. */
function inSentence(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
}

function businessOf(name: unknown): string {
  return typeof name === 'string' ? name : 'a connected business';
}

function roleOf(role: unknown): string {
  return isRole(role) ? roleWithArticle[role] : String(role);
}

function toLimit(limit: unknown): string {
  return isChange(limit) && typeof limit.to === 'number' ? ` to ${limit.to.toLocaleString('en')}` : '';
}

/** `a limit of 200 connected businesses for the app “Shop”`. */
function limitOf({ kind, limit, name }: RecordedEvent['details']): string {
  const count = typeof limit === 'number' ? limit.toLocaleString('en') : 'a higher number of';
  return kind === 'rate_limit'
    ? `a limit of ${count} requests an hour for the API key “${name}”`
    : `a limit of ${count} connected businesses for the app “${name}”`;
}

function endsNothing(ended: unknown): boolean {
  return !Array.isArray(ended) || ended.length === 0;
}

function isWider(scopes: unknown): boolean {
  if (!isChange(scopes)) return false;
  const { from, to } = scopes;
  return Array.isArray(from) && Array.isArray(to) && to.length > from.length;
}
