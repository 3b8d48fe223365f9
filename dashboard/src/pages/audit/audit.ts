import { type UseInfiniteQueryResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, usePages } from '../../api/queries.ts';
import { type DateRange, parseDate, toTimeRange } from '../../components/date-range.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

/** Actions of the filter by topic. */
export const actionGroups = [
  {
    group: 'API keys',
    items: [
      { value: 'api_key.*', label: 'API keys: all' },
      { value: 'api_key.created', label: 'Key created' },
      { value: 'api_key.updated', label: 'Key changed' },
      { value: 'api_key.rotated', label: 'Key rotated' },
      { value: 'api_key.limit_set', label: 'Rate limit of a key set' },
      { value: 'api_key.deleted', label: 'Key deleted' },
    ],
  },
  {
    group: 'Apps of this business',
    items: [
      { value: 'application.*', label: 'Apps: all' },
      { value: 'application.created', label: 'App registered' },
      { value: 'application.updated', label: 'App changed' },
      { value: 'application.secret_rotated', label: 'Client secret rotated' },
      { value: 'application.secret_deleted', label: 'Client secret deleted' },
      { value: 'application.limit_set', label: 'Connection limit set' },
      { value: 'application.deleted', label: 'App deleted' },
    ],
  },
  {
    group: 'Webhooks',
    items: [
      { value: 'webhook_endpoint.*', label: 'Webhooks: all' },
      { value: 'webhook_endpoint.created', label: 'Endpoint added' },
      { value: 'webhook_endpoint.updated', label: 'Endpoint changed' },
      { value: 'webhook_endpoint.enabled', label: 'Endpoint enabled' },
      { value: 'webhook_endpoint.disabled', label: 'Endpoint disabled' },
      { value: 'webhook_endpoint.failing', label: 'Owners warned of failures' },
      { value: 'webhook_endpoint.deleted', label: 'Endpoint deleted' },
      { value: 'webhook_endpoint.secret_rotated', label: 'Signing secret rotated' },
      { value: 'webhook_endpoint.secret_revealed', label: 'Signing secret viewed' },
      { value: 'webhook_endpoint.recovered', label: 'Deliveries recovered' },
      { value: 'webhook_endpoint.drained', label: 'Pending deliveries skipped' },
      { value: 'webhook_endpoint.resent', label: 'Delivery resent' },
      { value: 'webhook_endpoint.tested', label: 'Test event sent' },
      { value: 'webhook_endpoint.checked', label: 'Receiver checked' },
    ],
  },
  {
    group: 'Connected apps',
    items: [
      { value: 'grant.*', label: 'Connections: all' },
      { value: 'grant.created', label: 'App connected' },
      { value: 'grant.approved_again', label: 'App approved again' },
      { value: 'grant.ended', label: 'App disconnected' },
      { value: 'access_token.revoked', label: 'Access token revoked' },
    ],
  },
  {
    group: 'People',
    items: [
      { value: 'person.*', label: 'People: all' },
      { value: 'person.signed_up', label: 'Signed up' },
      { value: 'person.logged_in', label: 'Logged in' },
      { value: 'person.second_factor_failed', label: 'Wrong second-factor code' },
      { value: 'person.logged_out', label: 'Logged out' },
      { value: 'person.session_ended', label: 'Session ended' },
      { value: 'person.password_changed', label: 'Password changed' },
      { value: 'person.password_reset_requested', label: 'Password reset requested' },
      { value: 'person.password_reset', label: 'Password reset' },
      { value: 'person.renamed', label: 'Name changed' },
      { value: 'person.passkey_added', label: 'Passkey added' },
      { value: 'person.passkey_renamed', label: 'Passkey renamed' },
      { value: 'person.passkey_removed', label: 'Passkey removed' },
      { value: 'person.passkey_refused', label: 'Passkey refused' },
      { value: 'person.second_factor_enabled', label: 'Second factor turned on' },
      { value: 'person.second_factor_disabled', label: 'Second factor turned off' },
      { value: 'person.recovery_codes_renewed', label: 'Recovery codes renewed' },
    ],
  },
  {
    group: 'Team',
    items: [
      { value: 'member.*', label: 'Team: all' },
      { value: 'member.invited', label: 'Person invited' },
      { value: 'member.invitation_withdrawn', label: 'Invitation withdrawn' },
      { value: 'member.joined', label: 'Invitation accepted' },
      { value: 'member.role_changed', label: 'Role changed' },
      { value: 'member.removed', label: 'Removed from the team' },
    ],
  },
  {
    group: 'Business',
    items: [
      { value: 'business.*', label: 'Business: all' },
      { value: 'business.created', label: 'Created' },
      { value: 'business.verification_submitted', label: 'Submitted for verification' },
      { value: 'business.updated', label: 'Name, username or logo changed' },
      { value: 'business.frozen', label: 'API access frozen' },
      { value: 'business.unfrozen', label: 'Freeze lifted' },
      { value: 'business.second_factor_required', label: 'Second factor required' },
      { value: 'business.second_factor_optional', label: 'Second factor no longer required' },
      { value: 'limit_request.*', label: 'Requests for higher limits' },
    ],
  },
] as const;

/** Filter of the audit log; undefined matches everything. */
export interface AuditFilter extends DateRange {
  /** `api_key.created`, or `api_key.*` for all of one kind. */
  readonly action: string | undefined;
  /** Kind and id, as `person:per_1`. */
  readonly actor: string | undefined;
}

const knownActions: ReadonlySet<string> = new Set(
  actionGroups.flatMap(({ items }) => items.map(({ value }) => value)),
);

/** The filter in URL parameters; invalid ones are ignored. */
export function parseFilter(parameters: URLSearchParams): AuditFilter {
  const action = parameters.get('action') ?? '';
  const actor = parameters.get('actor') ?? '';
  return {
    action: knownActions.has(action) ? action : undefined,
    actor: /^(person|operator|application|system):.{1,200}$/.test(actor) ? actor : undefined,
    from: parseDate(parameters.get('from')),
    to: parseDate(parameters.get('to')),
  };
}

/** URL parameters for `parseFilter`. */
export function serializeFilter(filter: AuditFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** Query parameters of the API. */
export function toQuery({ action, actor, ...days }: AuditFilter) {
  return {
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actor }),
    ...toTimeRange(days),
  };
}

/** Whether any filter is set. */
export function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

type Schemas = components['schemas'];

export type AuditEvent = Schemas['AuditEvent'];

export type AuditActor = Schemas['AuditActor'];

/** Audit events, newest first, paginated. */
export function useAuditLog(filter: AuditFilter): UseInfiniteQueryResult<readonly AuditEvent[]> {
  const { id: businessId } = useBusiness();
  return usePages(
    businessKey(businessId, 'audit', filter),
    (page, signal) => {
      const params = { path: { businessId }, query: { ...toQuery(filter), ...page } };
      return unwrap(api.GET('/businesses/{businessId}/audit-events', { params, signal }));
    },
    ({ events }) => events,
  );
}

/** Recent actors. */
export function useAuditActors(): UseQueryResult<readonly AuditActor[]> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'audit-actors'),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      return (await unwrap(api.GET('/businesses/{businessId}/audit-events/actors', { params, signal })))
        .actors;
    },
  });
}

const unnamedActors: Readonly<Record<AuditActor['kind'], string>> = {
  person: 'Deleted account',
  operator: 'Support',
  application: 'Deleted app',
  system: 'Platform',
};

/** Name of an actor, or what it was. */
export const actorName = ({ kind, name }: AuditActor): string => name ?? unnamedActors[kind];

/** Distinguishes actors of the same name. */
export function actorDetail({ kind, id, name, email }: AuditActor): string | undefined {
  if (email !== null) return email;
  if (kind === 'application') return name === null ? id : 'App';
  return kind === 'person' ? id : undefined;
}

/** Path to the subject of an event within the business; undefined when it no longer exists. */
export function subjectLink({ kind, id, exists }: AuditEvent['subject']): string | undefined {
  if (!exists) return undefined;
  switch (kind) {
    case 'api_key':
      return `/settings/developers/keys/${id}`;
    case 'application':
      return `/settings/developers/apps/${id}`;
    case 'grant':
      return '/connected';
    case 'person':
    case 'member':
    case 'business':
      return '/settings/business';
    default:
      return undefined;
  }
}

/** The file name in a Content-Disposition header. */
export function fileNameFrom(disposition: string | null): string | undefined {
  return /filename="([\w.-]+)"/.exec(disposition ?? '')?.[1];
}
