import type {
  ApplicationMessage,
  ClientSecretMessage,
  Propagation,
  SuspensionMessage,
} from '@platform/protos/identity';
import { z } from 'zod';
import { settingNames, settingsInput } from '../applications/settings.ts';
import type { CommandResult } from './command.ts';
import { formatRecord, formatTable, formatTime } from './output.ts';
import { recordResult } from './results.ts';
import { settingsText } from './settings.ts';

export const settingsSchema = z.object(settingsInput);

/** Application for `--json`. */
export function applicationJson(application: ApplicationMessage) {
  return {
    id: application.id,
    clientId: application.clientId,
    businessId: application.businessId,
    ...settingsSchema.parse(application.settings),
    connectedUserLimit: application.connectedUserLimit,
    connectedUsers: application.connectedUsers,
    secrets: application.secrets.map(secretJson),
    suspensions: application.suspensions.map(suspensionJson),
    createdAt: formatTime(application.createdAtUnixMs),
    updatedAt: formatTime(application.updatedAtUnixMs),
  };
}

function suspensionJson({ cause, reason, suspendedAtUnixMs }: SuspensionMessage) {
  return { cause, reason, suspendedAt: formatTime(suspendedAtUnixMs) };
}

function secretJson({ id, lastFour, createdAtUnixMs, lastUsedAtUnixMs }: ClientSecretMessage) {
  return { id, lastFour, createdAt: formatTime(createdAtUnixMs), lastUsedAt: formatTime(lastUsedAtUnixMs) };
}

/** Application as text. */
export function applicationRecord(application: ApplicationMessage): string {
  const fields = applicationJson(application);
  return formatRecord({
    id: fields.id,
    'client id': fields.clientId,
    business: String(fields.businessId),
    ...settingsText(settingNames, fields),
    'connected users': `${fields.connectedUsers} of ${fields.connectedUserLimit}`,
    created: fields.createdAt ?? '',
    updated: fields.updatedAt ?? '',
    ...Object.fromEntries(
      fields.suspensions.map(({ cause, reason, suspendedAt }) => [
        `suspended by ${cause}`,
        [suspendedAt, reason].filter(Boolean).join('  '),
      ]),
    ),
    ...Object.fromEntries(
      application.secrets.map((secret, index) => [`secret ${index + 1}`, secretLine(secret)]),
    ),
  });
}

function secretLine(secret: ClientSecretMessage): string {
  const { id, lastFour, lastUsedAt } = secretJson(secret);
  return `${id}  cs_…${lastFour}  last used: ${lastUsedAt ?? 'never'}`;
}

/** Applications as a table. */
export function applicationTable(applications: readonly ApplicationMessage[]): string {
  const headings = ['ID', 'CLIENT ID', 'NAME', 'SCOPES', 'USERS', 'SECRETS', 'SUSPENDED', 'CREATED'];
  const rows = applications.map((application) => [
    application.id,
    application.clientId,
    application.settings?.name ?? '',
    application.settings?.scopes.join(',') ?? '',
    `${application.connectedUsers}/${application.connectedUserLimit}`,
    String(application.secrets.length),
    application.suspensions.map(({ cause }) => cause).join(',') || 'no',
    formatTime(application.createdAtUnixMs) ?? '',
  ]);
  return formatTable(headings, rows);
}

const applicationFormat = { json: applicationJson, text: applicationRecord };

interface ApplicationResponse {
  readonly application: ApplicationMessage | null;
  readonly propagation?: Propagation;
}

/** Result with a new client secret. */
export function clientSecretResult({
  application,
  clientSecret,
  propagation,
}: ApplicationResponse & { readonly clientSecret: string }): CommandResult {
  const secret = { field: 'clientSecret', value: clientSecret, name: 'client secret' };
  return recordResult(applicationFormat, { message: application, propagation, secret });
}

/** Result with an application, possibly after a change. */
export function applicationResult({ application, propagation }: ApplicationResponse): CommandResult {
  return recordResult(applicationFormat, { message: application, propagation });
}
