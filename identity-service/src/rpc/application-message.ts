import type { ApplicationMessage, ClientSecretMessage } from '@platform/protos/identity';
import type { Application, ClientSecret } from '../applications/application.ts';

/** An application as identity.v1 sends it. */
export function toApplicationMessage(application: Application): ApplicationMessage {
  return {
    id: application.id,
    clientId: application.clientId,
    businessId: application.businessId,
    name: application.name,
    description: application.description,
    redirectUris: [...application.redirectUris],
    scopes: [...application.scopes],
    ipWhitelist: [...application.ipWhitelist],
    webhooksEnabled: application.webhooksEnabled,
    webhookEvents: [...application.webhookEvents],
    allowedOrigins: [...application.allowedOrigins],
    connectedUserLimit: application.connectedUserLimit,
    connectedUsers: application.connectedUsers,
    secrets: application.secrets.map(toClientSecretMessage),
    createdAtUnixMs: application.createdAt,
    updatedAtUnixMs: application.updatedAt,
  };
}

function toClientSecretMessage({ id, lastFour, createdAt, lastUsedAt }: ClientSecret): ClientSecretMessage {
  return { id, lastFour, createdAtUnixMs: createdAt, lastUsedAtUnixMs: lastUsedAt ?? 0 };
}
