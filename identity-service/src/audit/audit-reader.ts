import type { RecordedActor, RecordedEvent } from './recorded-event.ts';

/** Which events are wanted. Moments are milliseconds since 1970. */
export interface AuditFilter {
  /** One action, as `api_key.created`, or all of a kind, as `api_key.*`. */
  readonly action?: string | undefined;
  readonly actor?: Pick<RecordedActor, 'kind' | 'id'> | undefined;
  /** Itself included. */
  readonly from?: number | undefined;
  /** Itself not included. */
  readonly to?: number | undefined;
}

/** Some events, the newest first. */
export interface AuditPage {
  readonly events: readonly RecordedEvent[];
  /** `before` of the page with older ones; undefined when there are none. */
  readonly next: string | undefined;
}

/** Events of one page. */
export const auditPageSize = 50;

/** Events of one export at most. */
export const maxExportedEvents = 10_000;

/** The audit log of a business. What belongs to another business is never in it. */
export interface AuditReader {
  /** @param before id of the event before which the page begins; undefined for the newest */
  page(businessId: number, filter: AuditFilter, size: number, before: string | undefined): Promise<AuditPage>;
  /** Who did something of late, the latest first; at most 100. */
  actors(businessId: number): Promise<readonly RecordedActor[]>;
}
