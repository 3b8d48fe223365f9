import { Command } from 'commander';
import type { z } from 'zod';
import {
  createApplication,
  deleteApplication,
  deleteClientSecret,
  getApplication,
  rotateClientSecret,
  setConnectedUserLimit,
  updateApplication,
} from '../credentials/applications/operations.ts';
import { resumeApplication, suspendApplication } from '../credentials/applications/suspend.ts';
import type { ChosenCause } from '../credentials/suspensions/suspension.ts';
import {
  applicationJson,
  applicationRecord,
  applicationResult,
  applicationTable,
  clientSecretResult,
  settingsSchema,
} from './application-output.ts';
import { parseCount } from './arguments.ts';
import { addBusinessCommand, type CommandContext, example, onRun, operatorActor } from './command.ts';
import { findLookalikes } from './lookalikes.ts';
import { deletionResult } from './results.ts';
import { type SettingOptions, withSettings } from './settings.ts';

interface ApplicationOptions {
  readonly business: number;
  readonly application: string;
}

const someSettings = settingsSchema.exactPartial();

type Settings = z.output<typeof someSettings>;

/** Settings among the parsed options. */
function settingsFrom({ webhooks, ...options }: Settings & { readonly webhooks?: boolean }): Settings {
  return someSettings.parse(webhooks === undefined ? options : { ...options, webhooksEnabled: webhooks });
}

/** `application …`: OAuth 2.0 applications of businesses. */
export function applicationCommands(context: CommandContext): Command {
  const group = new Command('application').description('applications: settings, client secrets, limits');
  addCreate(group, context);
  addReads(group, context);
  addUpdate(group, context);
  addSecrets(group, context);
  addDelete(group, context);
  addLimit(group, context);
  addSuspension(group, context);
  return group;
}

function addCreate(group: Command, context: CommandContext): void {
  const command = withSettings(
    addBusinessCommand(
      group,
      'create',
      'register an application of a verified business; its client secret is shown once',
    ),
    settingOptions,
    (setting) => !optional.has(setting),
  ).addHelpText(
    'after',
    example(
      'application create --business 7 --name Shop --description "Sends orders out" --redirect-uris https://shop.example/callback --scopes orders:read --ip-whitelist 192.0.2.0/24',
    ),
  );
  onRun<{ business: number } & Settings>(command, context, async (options, acts) => {
    const settings = settingsSchema.parse({ ...unset, ...settingsFrom(options) });
    const input = { actor: operatorActor(), businessId: options.business, settings };
    return clientSecretResult(acts, await createApplication(acts, input));
  });
}

function addReads(group: Command, context: CommandContext): void {
  const list = addBusinessCommand(group, 'list', 'list the applications of a business, newest first');
  onRun<Pick<ApplicationOptions, 'business'>>(
    list.addHelpText('after', example('application list --business 7 --json')),
    context,
    async ({ business }, acts) => {
      const applications = await acts.applications.list(business);
      return { json: applications.map(applicationJson), text: applicationTable(acts, applications) };
    },
  );
  const get = addApplicationCommand(group, 'get', 'show an application').addHelpText(
    'after',
    example(`application get ${sample}`),
  );
  onRun<ApplicationOptions>(get, context, async (options, acts) => {
    const application = await getApplication(acts, reference(options));
    const fields = applicationJson(application);
    const found = await findLookalikes(acts, application.businessId, [fields.name]);
    return {
      json: { ...fields, looksLike: found.json },
      text: applicationRecord(acts, application) + found.text,
    };
  });
}

function addUpdate(group: Command, context: CommandContext): void {
  const command = withSettings(
    addApplicationCommand(group, 'update', 'change settings; a given list replaces the old one'),
    settingOptions,
    () => false,
  )
    .option('--no-webhooks', 'deliver no events')
    .option('--no-repeat-lost-refresh', 'a repeated refresh is refused')
    .addHelpText('after', example(`application update ${sample} --scopes orders:read,events:read`));
  onRun<ApplicationOptions & Settings>(command, context, async (options, acts) => {
    const change = { ...reference(options), update: settingsFrom(options) };
    return applicationResult(acts, await updateApplication(acts, change));
  });
}

function addSecrets(group: Command, context: CommandContext): void {
  const rotate = addApplicationCommand(
    group,
    'rotate-secret',
    'replace the client secret; the old one and all access tokens stop working at once',
  )
    .option('--keep-old', 'keep the old client secret until delete-secret; tokens keep working')
    .addHelpText('after', example(`application rotate-secret ${sample} --keep-old`));
  onRun<ApplicationOptions & { keepOld?: boolean }>(rotate, context, async (options, acts) => {
    const change = { ...reference(options), keepOld: options.keepOld ?? false };
    return clientSecretResult(acts, await rotateClientSecret(acts, change));
  });
  const remove = addApplicationCommand(group, 'delete-secret', 'revoke a client secret at once')
    .requiredOption('--secret <id>', 'identifier of the client secret')
    .addHelpText(
      'after',
      example(`application delete-secret ${sample} --secret sec_5f2b8c19ad03e47766b1c0de`),
    );
  onRun<ApplicationOptions & { secret: string }>(remove, context, async (options, acts) => {
    const change = { ...reference(options), clientSecretId: options.secret };
    return applicationResult(acts, await deleteClientSecret(acts, change));
  });
}

function addDelete(group: Command, context: CommandContext): void {
  const command = addApplicationCommand(
    group,
    'delete',
    'delete an application permanently and revoke all its tokens at once',
  );
  onRun<ApplicationOptions>(
    command.addHelpText('after', example(`application delete ${sample}`)),
    context,
    async (options, acts) => {
      const propagation = await deleteApplication(acts, reference(options));
      return deletionResult(options.application, propagation);
    },
  );
}

function addLimit(group: Command, context: CommandContext): void {
  const command = addApplicationCommand(group, 'limit', 'set the connected user limit')
    .requiredOption('--limit <users>', '1 to 1000000', parseCount)
    .addHelpText('after', example(`application limit ${sample} --limit 200`));
  onRun<ApplicationOptions & { limit: number }>(command, context, async (options, acts) => {
    const change = { ...reference(options), limit: options.limit };
    return applicationResult(acts, { application: await setConnectedUserLimit(acts, change) });
  });
}

/** Of a suspension that operators make and lift. */
const cause: ChosenCause = 'operator';

function addSuspension(group: Command, context: CommandContext): void {
  const suspend = addApplicationCommand(
    group,
    'suspend',
    'refuse all tokens of an application at once, until resume; nothing is deleted',
  )
    .requiredOption('--reason <text>', 'why; its publisher reads it')
    .addHelpText('after', example(`application suspend ${sample} --reason "complaints about phishing"`));
  onRun<ApplicationOptions & { reason: string }>(suspend, context, async (options, acts) => {
    const change = { ...reference(options), cause, reason: options.reason };
    return applicationResult(acts, await suspendApplication(acts, change));
  });
  const resume = addApplicationCommand(group, 'resume', 'lift the suspension by operators').addHelpText(
    'after',
    example(`application resume ${sample}`),
  );
  onRun<ApplicationOptions>(resume, context, async (options, acts) =>
    applicationResult(acts, await resumeApplication(acts, { ...reference(options), cause })),
  );
}

const sample = '--business 7 --application apl_5f2b8c19ad03e47766b1c0de';

/** Flags and help of the settings. */
const settingOptions: SettingOptions<Settings> = {
  name: ['--name <name>', '1 to 100 characters'],
  description: ['--description <text>', '1 to 500 characters'],
  redirectUris: ['--redirect-uris <list>', 'comma-separated: https, or http on loopback'],
  scopes: ['--scopes <list>', 'comma-separated, such as orders:read,business:read'],
  ipWhitelist: ['--ip-whitelist <list>', 'comma-separated addresses and networks'],
  webhooksEnabled: ['--webhooks', 'deliver events'],
  webhookEvents: ['--webhook-events <list>', 'comma-separated, such as order.created,order.paid'],
  allowedOrigins: [
    '--allowed-origins <list>',
    'comma-separated origins whose pages can call the API; "" for none',
  ],
  repeatLostRefresh: [
    '--repeat-lost-refresh',
    'a refresh that is repeated within a minute gets its tokens again',
  ],
};

/** Optional settings of a new application, with their defaults. */
const unset = {
  webhooksEnabled: false,
  webhookEvents: [],
  allowedOrigins: [],
  repeatLostRefresh: false,
} satisfies Settings;

const optional: ReadonlySet<string> = new Set(Object.keys(unset));

function addApplicationCommand(group: Command, name: string, description: string): Command {
  return addBusinessCommand(group, name, description).requiredOption(
    '--application <id>',
    'identifier of the application',
  );
}

function reference({ business, application }: ApplicationOptions) {
  return { actor: operatorActor(), businessId: business, applicationId: application };
}
