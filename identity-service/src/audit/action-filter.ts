import type { Action } from './event-description.ts';

/** Actions of one topic, as a person chooses among them. */
interface ActionGroup {
  readonly group: string;
  /** One action, or all of a kind as `api_key.*`. */
  readonly items: readonly { readonly value: string; readonly label: string }[];
}

const groups = [
  { group: 'API keys', kinds: { api_key: 'API keys: all' } },
  { group: 'Apps of this business', kinds: { application: 'Apps: all' } },
  { group: 'Webhooks', kinds: { webhook_endpoint: 'Webhooks: all' } },
  { group: 'Connected apps', kinds: { grant: 'Connections: all', access_token: undefined } },
  { group: 'People', kinds: { person: 'People: all' } },
  { group: 'Team', kinds: { member: 'Team: all' } },
  {
    group: 'Business',
    kinds: { business: 'Business: all', limit_request: 'Requests for higher limits: all' },
  },
] as const;

/** Every recorded action. */
const labels: Readonly<Record<Action, string>> = {
  'api_key.created': 'Key created',
  'api_key.updated': 'Key changed',
  'api_key.rotated': 'Key rotated',
  'api_key.limit_set': 'Rate limit of a key set',
  'api_key.frozen': 'Key frozen',
  'api_key.unfrozen': 'Freeze of a key lifted',
  'api_key.deleted': 'Key deleted',
  'application.created': 'App registered',
  'application.updated': 'App changed',
  'application.secret_rotated': 'Client secret rotated',
  'application.secret_deleted': 'Client secret deleted',
  'application.limit_set': 'Connection limit set',
  'application.suspended': 'App suspended',
  'application.resumed': 'App resumed',
  'application.connection_suspended': 'Connection suspended by a business',
  'application.connection_resumed': 'Connection resumed by a business',
  'application.connection_ended': 'Connection ended: code or token used twice',
  'application.deleted': 'App deleted',
  'webhook_endpoint.created': 'Endpoint added',
  'webhook_endpoint.updated': 'Endpoint changed',
  'webhook_endpoint.enabled': 'Endpoint enabled',
  'webhook_endpoint.disabled': 'Endpoint disabled',
  'webhook_endpoint.failing': 'Owners warned of failures',
  'webhook_endpoint.deleted': 'Endpoint deleted',
  'webhook_endpoint.secret_rotated': 'Signing secret rotated',
  'webhook_endpoint.secret_revealed': 'Signing secret viewed',
  'webhook_endpoint.recovered': 'Deliveries recovered',
  'webhook_endpoint.drained': 'Pending deliveries skipped',
  'webhook_endpoint.resent': 'Delivery resent',
  'webhook_endpoint.tested': 'Test event sent',
  'webhook_endpoint.checked': 'Receiver checked',
  'grant.created': 'App connected',
  'grant.approved_again': 'App approved again',
  'grant.ended': 'App disconnected',
  'grant.suspended': 'Connection suspended',
  'grant.resumed': 'Connection resumed',
  'access_token.revoked': 'Access token revoked',
  'person.signed_up': 'Signed up',
  'person.logged_in': 'Logged in',
  'person.second_factor_failed': 'Wrong second-factor code',
  'person.logged_out': 'Logged out',
  'person.session_ended': 'Session ended',
  'person.password_changed': 'Password changed',
  'person.password_reset_requested': 'Password reset requested',
  'person.password_reset': 'Password reset',
  'person.renamed': 'Name changed',
  'person.passkey_added': 'Passkey added',
  'person.passkey_renamed': 'Passkey renamed',
  'person.passkey_removed': 'Passkey removed',
  'person.passkey_refused': 'Passkey refused',
  'person.second_factor_enabled': 'Second factor turned on',
  'person.second_factor_disabled': 'Second factor turned off',
  'person.recovery_codes_renewed': 'Recovery codes renewed',
  'person.email_change_requested': 'New email address requested',
  'person.email_change_withdrawn': 'New email address withdrawn',
  'person.email_changed': 'Email address changed',
  'person.email_change_undone': 'Email address restored',
  'person.deleted': 'Account deleted',
  'member.invited': 'Person invited',
  'member.invitation_withdrawn': 'Invitation withdrawn',
  'member.joined': 'Invitation accepted',
  'member.role_changed': 'Role changed',
  'member.removed': 'Removed from the team',
  'business.created': 'Created',
  'business.verification_submitted': 'Submitted for verification',
  'business.verified': 'Verified',
  'business.verification_rejected': 'Verification rejected',
  'business.banned': 'Banned',
  'business.unbanned': 'Ban lifted',
  'business.ban_declined': 'Proposed ban declined',
  'business.unban_declined': 'Proposed end of a ban declined',
  'business.updated': 'Name, username or logo changed',
  'business.logo_removed': 'Logo removed',
  'business.frozen': 'API access frozen',
  'business.unfrozen': 'Freeze lifted',
  'business.ending': 'Owners informed of the end of a sandbox',
  'business.ended': 'Sandbox ended',
  'business.member_keys_set': 'Rules for keys of developers changed',
  'business.second_factor_required': 'Second factor required',
  'business.second_factor_optional': 'Second factor no longer required',
  'limit_request.created': 'Higher limit requested',
  'limit_request.granted': 'Higher limit granted',
  'limit_request.declined': 'Higher limit declined',
};

const labelled = Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Groups of the audit log's filter. */
export const actionGroups: readonly ActionGroup[] = groups.map(({ group, kinds }) => ({
  group,
  items: Object.entries(kinds).flatMap(([kind, all]) => [
    ...(all === undefined ? [] : [{ value: `${kind}.*`, label: all }]),
    ...labelled.filter(({ value }) => value.startsWith(`${kind}.`)),
  ]),
}));
