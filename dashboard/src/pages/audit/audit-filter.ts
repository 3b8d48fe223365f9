import { type DayRange, momentsOf, readDay } from '../../parts/local-day.ts';
import { actionGroups } from './actions.ts';

/** What of the audit log is asked for. Undefined asks for everything. */
export interface AuditFilter extends DayRange {
  /** `api_key.created`, or `api_key.*` for all of a kind. */
  readonly action: string | undefined;
  /** Kind and id, as `person:per_1`. */
  readonly actor: string | undefined;
}

const actions: ReadonlySet<string> = new Set(
  actionGroups.flatMap(({ items }) => items.map(({ value }) => value)),
);

/** The filter in a page's address; what makes no sense there is left out. */
export function readFilter(parameters: URLSearchParams): AuditFilter {
  const action = parameters.get('action') ?? '';
  const actor = parameters.get('actor') ?? '';
  return {
    action: actions.has(action) ? action : undefined,
    actor: /^(person|operator|application|system):.{1,200}$/.test(actor) ? actor : undefined,
    from: readDay(parameters.get('from')),
    to: readDay(parameters.get('to')),
  };
}

/** The parameters that `readFilter` reads. */
export function writeFilter(filter: AuditFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The same as the API is asked for it. */
export function queryOf({ action, actor, ...days }: AuditFilter) {
  return {
    ...(action !== undefined && { action }),
    ...(actor !== undefined && { actor }),
    ...momentsOf(days),
  };
}

/** Whether anything is left out. */
export function isNarrowed(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}
