/** What one may look for in the audit log, by what it is about. */
export const actionGroups = [
  {
    group: 'API keys',
    items: [
      { value: 'api_key.*', label: 'API keys: everything' },
      { value: 'api_key.created', label: 'Key made' },
      { value: 'api_key.updated', label: 'Key changed' },
      { value: 'api_key.rotated', label: 'Key rotated' },
      { value: 'api_key.limit_set', label: 'Rate limit of a key set' },
      { value: 'api_key.deleted', label: 'Key deleted' },
    ],
  },
  {
    group: 'Apps of this business',
    items: [
      { value: 'application.*', label: 'Apps: everything' },
      { value: 'application.created', label: 'App registered' },
      { value: 'application.updated', label: 'App changed' },
      { value: 'application.secret_rotated', label: 'Client secret rotated' },
      { value: 'application.secret_deleted', label: 'Client secret deleted' },
      { value: 'application.limit_set', label: 'Number of connections set' },
      { value: 'application.deleted', label: 'App deleted' },
    ],
  },
  {
    group: 'Connected apps',
    items: [
      { value: 'grant.*', label: 'Connections: everything' },
      { value: 'grant.created', label: 'App connected' },
      { value: 'grant.approved_again', label: 'App approved again' },
      { value: 'grant.ended', label: 'App disconnected' },
      { value: 'access_token.revoked', label: 'Access token revoked' },
    ],
  },
  {
    group: 'People',
    items: [
      { value: 'person.*', label: 'People: everything' },
      { value: 'person.signed_up', label: 'Signed up' },
      { value: 'person.logged_in', label: 'Logged in' },
      { value: 'person.second_factor_failed', label: 'Wrong second-factor code' },
      { value: 'person.logged_out', label: 'Logged out' },
      { value: 'person.session_ended', label: 'Session ended' },
      { value: 'person.password_changed', label: 'Password changed' },
      { value: 'person.password_reset_requested', label: 'Password reset asked for' },
      { value: 'person.password_reset', label: 'Password reset' },
      { value: 'person.second_factor_enabled', label: 'Second factor turned on' },
      { value: 'person.second_factor_disabled', label: 'Second factor turned off' },
      { value: 'person.recovery_codes_renewed', label: 'Recovery codes renewed' },
    ],
  },
  {
    group: 'Team',
    items: [
      { value: 'member.*', label: 'Team: everything' },
      { value: 'member.invited', label: 'Somebody invited' },
      { value: 'member.invitation_withdrawn', label: 'Invitation taken back' },
      { value: 'member.joined', label: 'Invitation accepted' },
      { value: 'member.role_changed', label: 'Role changed' },
      { value: 'member.removed', label: 'Removed from the team' },
    ],
  },
  {
    group: 'Business',
    items: [
      { value: 'business.*', label: 'Business: everything' },
      { value: 'business.verification_submitted', label: 'Submitted for verification' },
      { value: 'business.frozen', label: 'API access frozen' },
      { value: 'business.unfrozen', label: 'Freeze lifted' },
    ],
  },
] as const;
