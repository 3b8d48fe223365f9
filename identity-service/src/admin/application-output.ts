import { z } from 'zod';
import type { Acts } from '../acts.ts';
import type { Application, ClientSecret } from '../credentials/applications/application.ts';
import { settingNames, settingsInput } from '../credentials/applications/settings.ts';
import type { Propagation } from '../platform/credential-generations.ts';
import type { CommandResult } from './command.ts';
import { formatRecord, formatTable, formatTime } from './output.ts';
import { recordResult } from './results.ts';
import { scopeTexts } from './scope-texts.ts';
import { settingsText } from './settings.ts';

export const settingsSchema = z.object(settingsInput);

/** Application for `--json`. */
export function applicationJson(application: Application) {
  return {
    id: application.id,
    clientId: application.clientId,
    businessId: application.businessId,
    ...settingsSchema.parse(application),
    connectedUserLimit: application.connectedUserLimit,
    connectedUsers: application.connectedUsers,
    secrets: application.secrets.map(secretJson),
    suspensions: application.suspensions.map(({ cause, reason, suspendedAt }) => ({
      cause,
      reason,
      suspendedAt: formatTime(suspendedAt),
    })),
    createdAt: formatTime(application.createdAt),
    updatedAt: formatTime(application.updatedAt),
  };
}

function secretJson({ id, lastFour, createdAt, lastUsedAt }: ClientSecret) {
  return { id, lastFour, createdAt: formatTime(createdAt), lastUsedAt: formatTime(lastUsedAt) };
}

type Known = Pick<Acts, 'apiScopes'>;

/** Application as text. */
export function applicationRecord(known: Known, application: Application): string {
  const fields = applicationJson(application);
  return formatRecord({
    id: fields.id,
    'client id': fields.clientId,
    business: String(fields.businessId),
    ...settingsText(settingNames, { ...fields, scopes: scopeTexts(known, fields.scopes) }),
    'connected users': `${fields.connectedUsers} of ${fields.connectedUserLimit}`,
    created: fields.createdAt,
    updated: fields.updatedAt,
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

function secretLine(secret: ClientSecret): string {
  const { id, lastFour, lastUsedAt } = secretJson(secret);
  return `${id}  cs_…${lastFour}  last used: ${lastUsedAt ?? 'never'}`;
}

/** Applications as a table. */
export function applicationTable(known: Known, applications: readonly Application[]): string {
  const headings = ['ID', 'CLIENT ID', 'NAME', 'SCOPES', 'USERS', 'SECRETS', 'SUSPENDED', 'CREATED'];
  const rows = applications.map((application) => [
    application.id,
    application.clientId,
    application.name,
    scopeTexts(known, application.scopes).join(','),
    `${application.connectedUsers}/${application.connectedUserLimit}`,
    String(application.secrets.length),
    application.suspensions.map(({ cause }) => cause).join(',') || 'no',
    formatTime(application.createdAt),
  ]);
  return formatTable(headings, rows);
}

const applicationFormat = (known: Known) => ({
  json: applicationJson,
  text: (application: Application) => applicationRecord(known, application),
});

interface ChangedApplication {
  readonly application: Application;
  readonly propagation?: Propagation;
}

/** Result with a new client secret. */
export function clientSecretResult(
  known: Known,
  { application, clientSecret, propagation }: ChangedApplication & { readonly clientSecret: string },
): CommandResult {
  const secret = { field: 'clientSecret', value: clientSecret, name: 'client secret' };
  return recordResult(applicationFormat(known), { record: application, propagation, secret });
}

/** Result with an application, possibly after a change. */
export function applicationResult(
  known: Known,
  { application, propagation }: ChangedApplication,
): CommandResult {
  return recordResult(applicationFormat(known), { record: application, propagation });
}
