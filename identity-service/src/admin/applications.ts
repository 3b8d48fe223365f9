import { maskOf } from '@platform/protos/field-mask';
import type { ApplicationMessage, ClientSecretMessage, Propagation } from '@platform/protos/identity';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { settingNames, settingsInput } from '../applications/settings.ts';
import { parseCount, parseList } from './arguments.ts';
import {
  type Answer,
  type CommandContext,
  callOptions,
  commandOfBusiness,
  onRun,
  operatorActor,
} from './command.ts';
import { answerWithDeletion } from './keys.ts';
import { formatRecord, formatTable, pendingNotice, present, propagationJson, toMoment } from './output.ts';

/** An application as `--json` prints it. */
function applicationJson(application: ApplicationMessage) {
  return {
    id: application.id,
    clientId: application.clientId,
    businessId: application.businessId,
    ...settings.parse(application.settings),
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
function applicationRecord(application: ApplicationMessage): string {
  const fields = applicationJson(application);
  return formatRecord({
    id: fields.id,
    'client id': fields.clientId,
    business: String(fields.businessId),
    ...Object.fromEntries(settingNames.map((name) => [settingLabel(name), settingText(fields[name])])),
    'connected users': `${fields.connectedUsers} of ${fields.connectedUserLimit}`,
    created: fields.createdAt ?? '',
    updated: fields.updatedAt ?? '',
    ...Object.fromEntries(
      application.secrets.map((secret, index) => [`secret ${index + 1}`, secretLine(secret)]),
    ),
  });
}

/** `redirect uris` for `redirectUris`. */
function settingLabel(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
}

function settingText(value: string | boolean | readonly string[]): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : value.join(' ');
}

function secretLine(secret: ClientSecretMessage): string {
  const { id, lastFour, lastUsedAt } = secretJson(secret);
  return `${id}  cs_…${lastFour}  last used: ${lastUsedAt ?? 'never'}`;
}

/** Several applications as people read them. */
function applicationTable(applications: readonly ApplicationMessage[]): string {
  const headings = ['ID', 'CLIENT ID', 'NAME', 'SCOPES', 'USERS', 'SECRETS', 'CREATED'];
  const rows = applications.map((application) => [
    application.id,
    application.clientId,
    application.settings?.name ?? '',
    application.settings?.scopes.join(',') ?? '',
    `${application.connectedUsers}/${application.connectedUserLimit}`,
    String(application.secrets.length),
    toMoment(application.createdAtUnixMs) ?? '',
  ]);
  return formatTable(headings, rows);
}

/** An application whose secret is handed out, for the only time. */
function answerWithClientSecret(answer: {
  readonly application: ApplicationMessage | null;
  readonly clientSecret: string;
  readonly propagation?: Propagation;
}): Answer {
  const { clientSecret, propagation } = answer;
  const application = present(answer.application);
  return {
    json: { ...applicationJson(application), clientSecret, ...propagationJson(propagation) },
    text: `${applicationRecord(application)}\n${clientSecret}\n\nThis client secret is shown only now. Store it where secrets are kept.\n`,
    pending: pendingNotice('changed', propagation),
  };
}

/** An application, perhaps after a change. */
function answerWithApplication(answer: {
  readonly application: ApplicationMessage | null;
  readonly propagation?: Propagation;
}): Answer {
  const application = present(answer.application);
  return {
    json: { ...applicationJson(application), ...propagationJson(answer.propagation) },
    text: applicationRecord(application),
    pending: pendingNotice('changed', answer.propagation),
  };
}

interface One {
  readonly business: number;
  readonly application: string;
}

const settings = z.object(settingsInput);

const someSettings = settings.exactPartial();

type Settings = z.output<typeof someSettings>;

/** The settings among parsed options: those of `settingOptions`. */
function givenSettings({ webhooks, ...options }: Settings & { readonly webhooks?: boolean }): Settings {
  return someSettings.parse(webhooks === undefined ? options : { ...options, webhooksEnabled: webhooks });
}

/** `application …`: what acts for businesses by OAuth 2.0. */
export function applicationCommands(context: CommandContext): Command {
  const group = new Command('application').description('applications: settings, client secrets, limits');
  addCreate(group, context);
  addReading(group, context);
  addUpdate(group, context);
  addSecrets(group, context);
  addDelete(group, context);
  addLimit(group, context);
  return group;
}

function addCreate(group: Command, context: CommandContext): void {
  const command = withSettings(
    commandOfBusiness(group, 'create', 'register one of a verified business; its secret is shown once'),
    true,
  ).addHelpText(
    'after',
    example(
      'create --business 7 --name Shop --description "Sends orders out" --redirect-uris https://shop.example/callback --scopes orders:read --ip-whitelist 192.0.2.0/24',
    ),
  );
  onRun<{ business: number } & Settings>(command, context, async (options, { applications }) =>
    answerWithClientSecret(
      await applications.CreateApplication(
        {
          actor: operatorActor(),
          businessId: options.business,
          settings: givenSettings(options),
        },
        callOptions(),
      ),
    ),
  );
}

function addReading(group: Command, context: CommandContext): void {
  const list = commandOfBusiness(group, 'list', 'show the applications of a business, newest first');
  onRun<Pick<One, 'business'>>(
    list.addHelpText('after', example('list --business 7 --json')),
    context,
    async ({ business }, clients) => {
      const request = { businessId: business };
      const { applications } = await clients.applications.ListApplications(request, callOptions());
      return { json: applications.map(applicationJson), text: applicationTable(applications) };
    },
  );
  const get = ofApplication(group, 'get', 'show one').addHelpText('after', example(`get ${sample}`));
  onRun<One>(get, context, async ({ business, application }, { applications }) =>
    answerWithApplication(
      await applications.GetApplication({ businessId: business, applicationId: application }, callOptions()),
    ),
  );
}

function addUpdate(group: Command, context: CommandContext): void {
  const command = withSettings(
    ofApplication(group, 'update', 'change settings; lists are replaced whole'),
    false,
  )
    .option('--no-webhooks', 'deliver no events')
    .addHelpText('after', example(`update ${sample} --scopes orders:read,events:read`));
  onRun<One & Settings>(command, context, async (options, { applications }) => {
    const changes = givenSettings(options);
    const request = { ...reference(options), settings: changes, updateMask: maskOf(changes) };
    return answerWithApplication(await applications.UpdateApplication(request, callOptions()));
  });
}

function addSecrets(group: Command, context: CommandContext): void {
  const rotate = ofApplication(group, 'rotate-secret', 'make a new client secret; the old one ends at once')
    .option('--keep-old', 'let the old one live beside it, until delete-secret')
    .addHelpText('after', example(`rotate-secret ${sample} --keep-old`));
  onRun<One & { keepOld?: boolean }>(rotate, context, async (options, { applications }) => {
    const request = { ...reference(options), keepOld: options.keepOld ?? false };
    return answerWithClientSecret(await applications.RotateClientSecret(request, callOptions()));
  });
  const remove = ofApplication(group, 'delete-secret', 'end one client secret at once')
    .requiredOption('--secret <id>', 'identifier of the secret')
    .addHelpText('after', example(`delete-secret ${sample} --secret sec_5f2b8c19ad03e47766b1c0de`));
  onRun<One & { secret: string }>(remove, context, async (options, { applications }) => {
    const request = { ...reference(options), clientSecretId: options.secret };
    return answerWithApplication(await applications.DeleteClientSecret(request, callOptions()));
  });
}

function addDelete(group: Command, context: CommandContext): void {
  const command = ofApplication(group, 'delete', 'remove one for ever; all its tokens stop working at once');
  onRun<One>(
    command.addHelpText('after', example(`delete ${sample}`)),
    context,
    async (options, { applications }) => {
      const { propagation } = await applications.DeleteApplication(reference(options), callOptions());
      return answerWithDeletion(options.application, propagation);
    },
  );
}

function addLimit(group: Command, context: CommandContext): void {
  const command = ofApplication(group, 'limit', 'set how many connected users it may have')
    .requiredOption('--limit <users>', '1 to 1000000', parseCount)
    .addHelpText('after', example(`limit ${sample} --limit 200`));
  onRun<One & { limit: number }>(command, context, async (options, { applications }) => {
    const request = { ...reference(options), limit: options.limit };
    return answerWithApplication(await applications.SetConnectedUserLimit(request, callOptions()));
  });
}

const sample = '--business 7 --application apl_5f2b8c19ad03e47766b1c0de';

/** A flag for each setting. */
const settingOptions: Readonly<Record<keyof Settings, readonly [flags: string, help: string]>> = {
  name: ['--name <name>', '1 to 100 characters'],
  description: ['--description <text>', '1 to 500 characters'],
  redirectUris: ['--redirect-uris <list>', 'comma-separated: https, or http on loopback'],
  scopes: ['--scopes <list>', 'comma-separated, as orders:read,business:read'],
  ipWhitelist: ['--ip-whitelist <list>', 'comma-separated addresses and networks'],
  webhooksEnabled: ['--webhooks', 'deliver events'],
  webhookEvents: ['--webhook-events <list>', 'comma-separated, as order.created,order.paid'],
  allowedOrigins: [
    '--allowed-origins <list>',
    'comma-separated origins whose pages may call the API; "" for none',
  ],
};

const optional: ReadonlySet<string> = new Set(['webhooksEnabled', 'webhookEvents', 'allowedOrigins']);

/** @param creates whether the settings that every application has are required */
function withSettings(command: Command, creates: boolean): Command {
  for (const name of settingNames) {
    const option = new Option(...settingOptions[name]).makeOptionMandatory(creates && !optional.has(name));
    if (option.flags.endsWith('<list>')) option.argParser(parseList);
    command.addOption(option);
  }
  return command;
}

function ofApplication(group: Command, name: string, description: string): Command {
  return commandOfBusiness(group, name, description).requiredOption(
    '--application <id>',
    'identifier of the application',
  );
}

function reference({ business, application }: One) {
  return { actor: operatorActor(), businessId: business, applicationId: application };
}

function example(line: string): string {
  return `\nExample:\n  $ npm run admin -- application ${line}\n`;
}
