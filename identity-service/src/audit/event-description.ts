import type { RecordedEvent } from './event.ts';

/** What the fields of an event's details are called. */
const detailLabels: ReadonlyMap<string, string> = new Map([
  ['name', 'Name'],
  ['description', 'Description'],
  ['keyType', 'Type'],
  ['scopes', 'Scopes'],
  ['limit', 'Limit'],
  ['expiresAt', 'Expires'],
  ['lastFour', 'Last four characters'],
  ['clientId', 'Client ID'],
  ['redirectUris', 'Redirect URIs'],
  ['ipWhitelist', 'IP whitelist'],
  ['webhooksEnabled', 'Webhooks'],
  ['webhookEvents', 'Webhook events'],
  ['allowedOrigins', 'Allowed origins'],
  ['secret', 'Client secret'],
  ['added', 'New client secret'],
  ['ended', 'Ended client secrets'],
  ['secondFactor', 'Second factor'],
  ['reason', 'Reason'],
  ['role', 'Role'],
  ['email', 'Mail address'],
  ['legalName', 'Registered name'],
  ['registrationNumber', 'Number in the register'],
  ['country', 'Country'],
  ['session', 'Session'],
  ['count', 'Sessions'],
]);

/** A value for people. A number is a moment, in milliseconds since 1970; null means that there is none. */
export type DetailValue = string | number | null;

/** What is on record beside the action. */
interface Fact {
  /** As it is recorded. */
  readonly field: string;
  readonly label: string;
  readonly value: DetailValue;
}

/** A field before and after. */
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

/** What only serves to find the subject. */
const hidden: ReadonlySet<string> = new Set(['applicationId', 'id', 'invitedBy']);

/** The recorded details of an event as people read them. */
export function readDetails(details: Readonly<Record<string, unknown>>): EventDetails {
  const facts: Fact[] = [];
  const changes: Change[] = [];
  for (const [field, value] of inOrder(details)) {
    const label = detailLabels.get(field) ?? field;
    const [from, to] = isChange(value)
      ? [toValue(field, value.from), toValue(field, value.to)]
      : [undefined, toValue(field, value)];
    if (from === undefined || from === to) facts.push({ field, label, value: to });
    else changes.push({ field, label, from, to });
  }
  return { facts, changes };
}

/** As labels are ordered; what has none comes last. */
function inOrder(details: Readonly<Record<string, unknown>>): (readonly [string, unknown])[] {
  const order = [...detailLabels.keys()];
  const place = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length);
  return Object.entries(details)
    .filter(([field]) => !hidden.has(field))
    .sort(([a], [b]) => place(a) - place(b));
}

/** Whether a recorded value is one before and one after. */
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

type Words = (event: RecordedEvent, thing: string) => string;

/** What each action is in plain words. They begin with the verb: who did it stands beside them. */
const words: Readonly<Record<string, Words>> = {
  'api_key.created': (_, key) => `Made ${key}`,
  'api_key.updated': (event, key) => updated(event, key),
  'api_key.rotated': (_, key) => `Rotated ${key}: its old secret stopped working`,
  'api_key.limit_set': ({ details }, key) => `Set the rate limit of ${key}${toLimit(details.limit)}`,
  'api_key.deleted': (_, key) => `Deleted ${key}`,
  'application.created': (_, app) => `Registered ${app}`,
  'application.updated': (event, app) => updated(event, app),
  'application.secret_rotated': ({ details }, app) =>
    endsNothing(details.ended)
      ? `Made a second client secret for ${app}`
      : `Rotated the client secret of ${app}: the old one stopped working`,
  'application.secret_deleted': (_, app) => `Deleted a client secret of ${app}`,
  'application.limit_set': ({ details }, app) =>
    `Set how many businesses may connect ${app}${toLimit(details.limit)}`,
  'application.deleted': (_, app) => `Deleted ${app}: every business lost its connection`,
  'grant.created': (_, app) => `Connected ${app}`,
  'grant.approved_again': ({ details }, app) =>
    isWider(details.scopes) ? `Let ${app} do more than before` : `Approved ${app} once more`,
  'grant.ended': ({ details }, app) =>
    grantEnds[String(details.reason)]?.(app) ?? `Ended the access of ${app}`,
  'access_token.revoked': (_, app) => `Revoked an access token of ${app}`,
  'person.signed_up': () => 'Signed up',
  'person.logged_in': ({ details }) => logins[String(details.secondFactor)] ?? 'Logged in',
  'person.second_factor_failed': () => 'Showed the right password, then a wrong code of the second factor',
  'person.logged_out': () => 'Logged out',
  'person.session_ended': ({ details }) =>
    typeof details.count === 'number' ? `Ended all other sessions (${details.count})` : 'Ended a session',
  'person.password_changed': () => 'Changed the password: all other sessions ended',
  'person.password_reset_requested': ({ subject }) =>
    `Mailed a link to reset the password of ${subject.name ?? subject.id}, as somebody asked for`,
  'person.password_reset': () => 'Reset the password by a mailed link: all sessions ended',
  'person.second_factor_enabled': () => 'Turned the second factor on',
  'person.second_factor_disabled': () => 'Turned the second factor off',
  'person.recovery_codes_renewed': () => 'Made new recovery codes: the old ones stopped working',
  'business.verification_submitted': () => 'Submitted the business for verification',
  'business.frozen': () => 'Froze API access: no key and no app got in from then on',
  'business.unfrozen': () => 'Lifted the freeze: keys and apps worked again',
  'member.invited': ({ details }) => `Invited ${details.email} as ${roleOf(details.role)}`,
  'member.invitation_withdrawn': ({ details }) => `Took back the invitation of ${details.email}`,
  'member.joined': ({ details }) => `Accepted an invitation and joined as ${roleOf(details.role)}`,
  'member.role_changed': ({ details: { email, role }, subject }) =>
    `Made ${subject.name ?? email} ${roleOf(isChange(role) ? role.to : role)}`,
  'member.removed': ({ actor, details, subject }) =>
    actor.id === subject.id
      ? 'Left the business'
      : `Removed ${subject.name ?? details.email} from the business`,
};

const grantEnds: Readonly<Record<string, (app: string) => string>> = {
  disconnected: (app) => `Disconnected ${app}`,
  revoked: (app) => `Gave up the access that ${app} had`,
  code_reuse: (app) => `Ended the access of ${app}: an authorization code came twice`,
  refresh_reuse: (app) => `Ended the access of ${app}: a refresh token came twice`,
};

const logins: Readonly<Record<string, string>> = {
  code: 'Logged in with the second factor',
  recovery_code: 'Logged in with a recovery code',
};

const things: Readonly<Record<string, string>> = {
  api_key: 'the API key',
  application: 'the app',
  grant: 'the app',
  access_token: 'the app',
};

/** Every action that has words. */
export const knownActions: readonly string[] = Object.keys(words);

/** What happened; the action itself where we have no words for it. */
export function describeEvent(event: RecordedEvent): string {
  return words[event.action]?.(event, thingOf(event)) ?? event.action;
}

function thingOf({ subject: { kind, name, id } }: RecordedEvent): string {
  return `${things[kind] ?? kind} ${name === undefined ? id : `“${name}”`}`;
}

function updated({ details, subject }: RecordedEvent, thing: string): string {
  const changed = Object.keys(details).filter((field) => isChange(details[field]));
  if (changed.length === 0) return `Saved ${thing} without a change`;
  const { name } = details;
  if (changed.length === 1 && isChange(name)) {
    return `Renamed ${things[subject.kind] ?? subject.kind} “${name.from}” to “${name.to}”`;
  }
  const labels = changed.map((field) => inSentence(detailLabels.get(field) ?? field));
  return `Changed ${labels.slice(0, -1).join(', ')}${labels.length > 1 ? ' and ' : ''}${labels.at(-1)} of ${thing}`;
}

/** `Redirect URIs` as `redirect URIs`, but `IP whitelist` as it is. */
function inSentence(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
}

function roleOf(role: unknown): string {
  return role === 'owner' ? 'an owner' : 'a member';
}

function toLimit(limit: unknown): string {
  return isChange(limit) && typeof limit.to === 'number' ? ` to ${limit.to.toLocaleString('en')}` : '';
}

function endsNothing(ended: unknown): boolean {
  return !Array.isArray(ended) || ended.length === 0;
}

function isWider(scopes: unknown): boolean {
  if (!isChange(scopes)) return false;
  const { from, to } = scopes;
  return Array.isArray(from) && Array.isArray(to) && to.length > from.length;
}
