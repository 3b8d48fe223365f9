import { z } from 'zod';

/**
 * An audit event as stored in the log of revocations, outside the database: identifiers and settings, but no names and no
 * secrets. An email address is encrypted.
 */
export const loggedEvent = z.object({
  id: z.int(),
  /** Milliseconds since 1970, of the database. */
  at: z.int(),
  businessId: z.int(),
  action: z.string(),
  subjectId: z.string(),
  actorId: z.string(),
  details: z.record(z.string(), z.unknown()),
});

export type LoggedEvent = Readonly<z.output<typeof loggedEvent>>;

/** Kinds of changes that a restored database lacks: each has its operation in `replay.ts`. */
export type Replay =
  | 'delete_key'
  | 'end_key_string'
  | 'set_key_access'
  | 'set_key_limit'
  | 'freeze_key'
  | 'restrict_member_keys'
  | 'restrict_key_lifetime'
  | 'delete_application'
  | 'set_application'
  | 'set_application_limit'
  | 'end_client_secrets'
  | 'end_client_secret'
  | 'suspend_application'
  | 'end_grant'
  | 'suspend_grant'
  | 'revoke_access_token'
  | 'end_password'
  | 'end_recovery_codes'
  | 'remove_passkey'
  | 'set_email'
  | 'delete_person'
  | 'end_membership'
  | 'demote_member'
  | 'freeze_business'
  | 'ban_business'
  | 'require_second_factor'
  | 'take_down_logo'
  | 'disable_endpoint';

interface Rule {
  readonly replay: Replay;
  /** Action that reverses it. */
  readonly liftedBy?: string;
}

/**
 * Rules of all actions that end or restrict something. Other actions add something, or end sessions and links, which a
 * restore ends in any case. A unit test requires each action of the audit log to be in one of the two lists.
 */
const rules: Readonly<Record<string, Rule>> = {
  'api_key.deleted': { replay: 'delete_key' },
  'api_key.rotated': { replay: 'end_key_string' },
  'api_key.updated': { replay: 'set_key_access' },
  'api_key.frozen': { replay: 'freeze_key', liftedBy: 'api_key.unfrozen' },
  'api_key.limit_set': { replay: 'set_key_limit' },
  'application.deleted': { replay: 'delete_application' },
  'application.updated': { replay: 'set_application' },
  'application.limit_set': { replay: 'set_application_limit' },
  'application.secret_rotated': { replay: 'end_client_secrets' },
  'application.secret_deleted': { replay: 'end_client_secret' },
  'application.suspended': { replay: 'suspend_application', liftedBy: 'application.resumed' },
  'grant.ended': { replay: 'end_grant' },
  'grant.suspended': { replay: 'suspend_grant', liftedBy: 'grant.resumed' },
  'access_token.revoked': { replay: 'revoke_access_token' },
  'person.password_changed': { replay: 'end_password' },
  'person.password_reset': { replay: 'end_password' },
  'person.second_factor_enabled': { replay: 'end_password' },
  'person.second_factor_disabled': { replay: 'end_password' },
  // After the first passkey, the password alone was no longer enough.
  'person.passkey_added': { replay: 'end_password' },
  'person.passkey_removed': { replay: 'remove_passkey' },
  'person.recovery_codes_renewed': { replay: 'end_recovery_codes' },
  // The login may have used up one of the codes.
  'person.logged_in': { replay: 'end_recovery_codes' },
  // Otherwise the replaced mailbox, or that of an attacker, would get links for a new password.
  'person.email_changed': { replay: 'set_email' },
  'person.email_change_undone': { replay: 'set_email' },
  'person.deleted': { replay: 'delete_person' },
  'member.removed': { replay: 'end_membership' },
  'member.role_changed': { replay: 'demote_member' },
  'business.frozen': { replay: 'freeze_business', liftedBy: 'business.unfrozen' },
  'business.banned': { replay: 'ban_business', liftedBy: 'business.unbanned' },
  // Otherwise a thief who only has a person's password could log in again.
  'business.second_factor_required': {
    replay: 'require_second_factor',
    liftedBy: 'business.second_factor_optional',
  },
  // Each key that a developer makes is checked against them.
  'business.key_lifetime_set': { replay: 'restrict_key_lifetime' },
  'business.member_keys_set': { replay: 'restrict_member_keys' },
  'business.logo_removed': { replay: 'take_down_logo' },
  'webhook_endpoint.deleted': { replay: 'disable_endpoint' },
  'webhook_endpoint.updated': { replay: 'disable_endpoint' },
  'webhook_endpoint.disabled': { replay: 'disable_endpoint', liftedBy: 'webhook_endpoint.enabled' },
  'webhook_endpoint.secret_rotated': { replay: 'disable_endpoint' },
};

/** Actions that the log keeps. */
export const loggedActions: ReadonlySet<string> = new Set(
  Object.entries(rules).flatMap(([action, { liftedBy = action }]) => [action, liftedBy]),
);

/** Actions that end nothing that a restore could bring back. */
export const otherActions: readonly string[] = [
  'api_key.created',
  // What was done about it has an event of its own.
  'api_key.leaked',
  'application.created',
  'application.connection_ended',
  'application.connection_suspended',
  'application.connection_resumed',
  'application.secret_leaked',
  'business.ban_declined',
  'business.created',
  // A sandbox that comes back ends again, and its credentials are ended by events of their own.
  'business.ended',
  'business.ending',
  // Whom it was about is not recorded: the owners erase the customer again (docs/operations/restore.md).
  'business.customer_erased',
  'business.leak_policy_set',
  'business.unban_declined',
  'business.updated',
  'business.verification_rejected',
  'business.verification_submitted',
  'business.verified',
  'grant.created',
  'grant.approved_again',
  'limit_request.created',
  'limit_request.declined',
  'limit_request.granted',
  'member.invited',
  'member.invitation_withdrawn',
  'member.joined',
  'person.email_change_requested',
  'person.email_change_withdrawn',
  'person.logged_out',
  'person.passkey_refused',
  'person.renamed',
  'person.passkey_renamed',
  'person.password_reset_requested',
  'person.second_factor_failed',
  'person.session_ended',
  'person.signed_up',
  'webhook_endpoint.checked',
  'webhook_endpoint.created',
  'webhook_endpoint.drained',
  'webhook_endpoint.failing',
  'webhook_endpoint.recovered',
  'webhook_endpoint.resent',
  'webhook_endpoint.secret_revealed',
  'webhook_endpoint.tested',
];

/** Details that a replay needs. No others are copied out of the database. */
const keptDetails = new Set([
  ...['scopes', 'redirectUris', 'ipWhitelist', 'allowedOrigins', 'limit', 'ended', 'id', 'cause', 'role'],
  ...['applicationId', 'reason', 'secondFactor', 'firstFactor', 'sealedEmail', 'repeatLostRefresh'],
  ...['memberSecretKeys', 'memberScopes', 'keyEndRequired', 'keyMaxDays'],
]);

/** Free text in some events. */
const endReasons: readonly unknown[] = ['disconnected', 'revoked', 'code_reuse', 'refresh_reuse'];

/** The part of an event that is logged; undefined for an event that needs no replay. */
export function toLogged(event: LoggedEvent): LoggedEvent | undefined {
  const { action, details } = event;
  if (!loggedActions.has(action)) return undefined;
  if (action === 'person.passkey_added' && details.firstFactor !== true) return undefined;
  if (action === 'person.logged_in' && details.secondFactor !== 'recovery_code') return undefined;
  const kept = Object.entries(details).filter(
    ([field, value]) => keptDetails.has(field) && (field !== 'reason' || endReasons.includes(value)),
  );
  return { ...event, details: Object.fromEntries(kept) };
}

/** An event with what is to be done about it. */
export interface Step {
  readonly replay: Replay;
  readonly event: LoggedEvent;
}

/** Steps for events that a restored database lacks, oldest first, without those that a later event reverses. */
export function planReplay(events: readonly LoggedEvent[]): Step[] {
  const ordered = [...events].sort((a, b) => a.at - b.at || a.id - b.id);
  const last = new Map(ordered.map((event, index) => [subjectOf(event.action, event), index]));
  return ordered.flatMap((event, index) => {
    const rule = rules[event.action];
    if (rule === undefined) return [];
    const lifted = rule.liftedBy === undefined ? -1 : (last.get(subjectOf(rule.liftedBy, event)) ?? -1);
    return lifted > index ? [] : [{ replay: rule.replay, event }];
  });
}

/** Distinguishes suspensions of one application by cause, because each cause is lifted separately. */
function subjectOf(action: string, { subjectId, details }: LoggedEvent): string {
  return `${action} ${subjectId} ${String(details.cause ?? '')}`;
}
