import { type ApiKey, grantedScopes } from '../../credentials/api-keys/api-key.ts';
import type { EndReason } from '../../credentials/grants/grant.ts';
import type { JsonObject } from '../../platform/actor.ts';
import { formatTime } from '../../platform/text.ts';

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
  /** The application that it is about, and the only one that may receive it; null for none. */
  readonly applicationId: string | null;
  /** The resource, as receivers get it. */
  readonly data: JsonObject;
}

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

/** The event of a key that expires soon, or has expired. */
export function expiryEvent(type: 'api_key.expiring' | 'api_key.expired', key: ApiKey): NewEvent {
  const { id, businessId, name, keyType, createdAt, expiresAt } = key;
  const times = {
    created_at: formatTime(createdAt),
    expires_at: expiresAt === undefined ? null : formatTime(expiresAt),
  };
  const data = { id, name, key_type: keyType, scopes: grantedScopes(key), ...times };
  return { businessId, type, applicationId: null, data };
}
