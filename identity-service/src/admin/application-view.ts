import type { ApplicationMessage, ClientSecretMessage } from '@platform/protos/identity';
import { toMoment } from './moment.ts';
import { formatRecord, formatTable } from './table.ts';

/** An application as `--json` prints it. */
export function applicationJson(application: ApplicationMessage) {
  return {
    id: application.id,
    clientId: application.clientId,
    businessId: application.businessId,
    name: application.name,
    description: application.description,
    redirectUris: application.redirectUris,
    scopes: application.scopes,
    ipWhitelist: application.ipWhitelist,
    webhooksEnabled: application.webhooksEnabled,
    webhookEvents: application.webhookEvents,
    allowedOrigins: application.allowedOrigins,
    connectedUserLimit: application.connectedUserLimit,
    connectedUsers: application.connectedUsers,
    secrets: application.secrets.map(secretJson),
    createdAt: toMoment(application.createdAtUnixMs),
    updatedAt: toMoment(application.updatedAtUnixMs),
  };
}

function secretJson({ id, lastFour, createdAtUnixMs, lastUsedAtUnixMs }: ClientSecretMessage) {
  return { id, lastFour, createdAt: toMoment(createdAtUnixMs), lastUsedAt: toMoment(lastUsedAtUnixMs) };
}

/** An application as people read it. */
export function applicationRecord(application: ApplicationMessage): string {
  const fields = applicationJson(application);
  return formatRecord({
    id: fields.id,
    'client id': fields.clientId,
    business: String(fields.businessId),
    name: fields.name,
    description: fields.description.replaceAll(/\s+/g, ' '),
    'redirect uris': fields.redirectUris.join(' '),
    scopes: fields.scopes.join(','),
    'ip whitelist': fields.ipWhitelist.join(','),
    webhooks: fields.webhooksEnabled ? 'on' : 'off',
    'webhook events': fields.webhookEvents.join(','),
    'allowed origins': fields.allowedOrigins.join(' '),
    'connected users': `${fields.connectedUsers} of ${fields.connectedUserLimit}`,
    created: fields.createdAt ?? '',
    updated: fields.updatedAt ?? '',
    ...Object.fromEntries(
      application.secrets.map((secret, index) => [`secret ${index + 1}`, secretLine(secret)]),
    ),
  });
}

function secretLine(secret: ClientSecretMessage): string {
  const { id, lastFour, lastUsedAt } = secretJson(secret);
  return `${id}  cs_…${lastFour}  last used: ${lastUsedAt ?? 'never'}`;
}

/** Several applications as people read them. */
export function applicationTable(applications: readonly ApplicationMessage[]): string {
  const headings = ['ID', 'CLIENT ID', 'NAME', 'SCOPES', 'USERS', 'SECRETS', 'CREATED'];
  const rows = applications.map((application) => [
    application.id,
    application.clientId,
    application.name,
    application.scopes.join(','),
    `${application.connectedUsers}/${application.connectedUserLimit}`,
    String(application.secrets.length),
    toMoment(application.createdAtUnixMs) ?? '',
  ]);
  return formatTable(headings, rows);
}
