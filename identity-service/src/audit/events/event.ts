import type { JsonObject } from '../../platform/actor.ts';

/** Types of events that this service appends to the feeds of businesses. */
export type IdentityEventType =
  | 'application.connected'
  | 'application.disconnected'
  | 'api_key.expiring'
  | 'api_key.expired';

/** An event for the feed of a business. Never holds a secret. */
export interface NewEvent {
  readonly businessId: number;
  readonly type: IdentityEventType;
  /** The application that the event is about, the only one that may receive it; null for none. */
  readonly applicationId: string | null;
  /** The resource, as receivers get it. */
  readonly data: JsonObject;
}
