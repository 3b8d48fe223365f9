import { type UseInfiniteQueryResult, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, usePages } from '../../api/queries.ts';
import { type DateRange, parseDate, toTimeRange } from '../../components/date-range.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

/** Filter of the audit log; undefined matches everything. */
export interface AuditFilter extends DateRange {
  /** `api_key.created`, or `api_key.*` for all of one kind. */
  readonly action: string | undefined;
  /** Kind and id, as `person:per_1`. */
  readonly actor: string | undefined;
}

/** The filter in URL parameters; invalid ones are ignored. */
export function parseFilter(parameters: URLSearchParams): AuditFilter {
  const action = parameters.get('action') ?? '';
  const actor = parameters.get('actor') ?? '';
  return {
    action: /^[a-z_]{1,40}\.(\*|[a-z_]{1,40})$/.test(action) ? action : undefined,
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

/** Actions of the filter by topic. */
export function useAuditActions() {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'audit-actions'),
    queryFn: async ({ signal }) => {
      const params = { path: { businessId } };
      return (await unwrap(api.GET('/businesses/{businessId}/audit-events/actions', { params, signal })))
        .groups;
    },
    staleTime: Number.POSITIVE_INFINITY,
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
