import type { Application } from '../applications/application.ts';
import { isWebhookEvent } from '../applications/webhook-event.ts';
import { isScope } from '../authorization/scope.ts';
import { Prisma } from '../generated/client.ts';

/** What is read of `applications a`, with live secrets and the number of live Grants. */
export const applicationColumns = Prisma.sql`
  a.id, a.client_id, a.business_id, a.name, a.description, a.redirect_uris, a.scopes, a.ip_whitelist,
  a.webhooks_enabled, a.webhook_events, a.allowed_origins, a.connected_user_limit, a.created_at, a.updated_at,
  (SELECT count(*) FROM grants g WHERE g.application_id = a.id AND g.ended_at IS NULL) AS connected_users,
  (SELECT coalesce(json_agg(json_build_object(
      'id', s.id, 'lastFour', s.last_four,
      'createdAt', round(extract(epoch FROM s.created_at) * 1000),
      'lastUsedAt', round(extract(epoch FROM s.last_used_at) * 1000)) ORDER BY s.created_at, s.id), '[]')
   FROM client_secrets s WHERE s.application_id = a.id) AS secrets`;

interface SecretJson {
  readonly id: string;
  readonly lastFour: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** A row of `applicationColumns`. */
export interface ApplicationRow {
  readonly id: string;
  readonly client_id: string;
  readonly business_id: bigint;
  readonly name: string;
  readonly description: string;
  readonly redirect_uris: readonly string[];
  readonly scopes: readonly string[];
  readonly ip_whitelist: readonly string[];
  readonly webhooks_enabled: boolean;
  readonly webhook_events: readonly string[];
  readonly allowed_origins: readonly string[];
  readonly connected_user_limit: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly connected_users: bigint;
  readonly secrets: readonly SecretJson[];
}

export function toApplication(row: ApplicationRow): Application {
  return {
    id: row.id,
    clientId: row.client_id,
    businessId: Number(row.business_id),
    name: row.name,
    description: row.description,
    redirectUris: row.redirect_uris,
    scopes: row.scopes.filter(isScope),
    ipWhitelist: row.ip_whitelist,
    webhooksEnabled: row.webhooks_enabled,
    webhookEvents: row.webhook_events.filter(isWebhookEvent),
    allowedOrigins: row.allowed_origins,
    connectedUserLimit: row.connected_user_limit,
    connectedUsers: Number(row.connected_users),
    secrets: row.secrets.map((secret) => ({ ...secret, lastUsedAt: secret.lastUsedAt ?? undefined })),
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
  };
}
