import type { IdentityEventType, NewEvent } from '../../audit/events/event.ts';
import type { JsonObject } from '../../platform/actor.ts';
import { formatTime } from '../../platform/text.ts';
import type { EndReason } from './grant.ts';

/** A Grant as its events describe it. Times are milliseconds since 1970. */
export interface Connection {
  readonly id: string;
  readonly businessId: number;
  readonly applicationId: string;
  readonly clientId: string;
  readonly applicationName: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
}

/** Why a connection ended, as `reason` of the event. */
export type DisconnectReason = EndReason | 'application_deleted';

export function connectedEvent(connection: Connection): NewEvent {
  return connectionEvent('application.connected', connection, { disconnected_at: null, reason: null });
}

/** @param endedAt milliseconds since 1970 */
export function disconnectedEvent(
  connection: Connection,
  reason: DisconnectReason,
  endedAt: number,
): NewEvent {
  return connectionEvent('application.disconnected', connection, {
    disconnected_at: formatTime(endedAt),
    reason,
  });
}

function connectionEvent(
  type: IdentityEventType,
  { id, businessId, applicationId, clientId, applicationName, scopes, createdAt }: Connection,
  end: JsonObject,
): NewEvent {
  const application = { id: applicationId, client_id: clientId, name: applicationName };
  const data = { id, application, scopes, connected_at: formatTime(createdAt), ...end };
  return { businessId, type, applicationId, data };
}
