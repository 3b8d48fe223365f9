import { maskOf } from '@platform/protos/field-mask';
import type { ApiKeyMessage, apiKeyService, Propagation } from '@platform/protos/identity';
import type { GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { settingNames, settingsInput } from '../api-keys/settings.ts';
import { parseCount, parseExpiry } from './arguments.ts';
import {
  addBusinessCommand,
  type CommandContext,
  callOptions,
  example,
  onRun,
  operatorActor,
} from './command.ts';
import { formatRecord, formatTable, formatTime } from './output.ts';
import { deletionResult, recordResult } from './results.ts';
import { type SettingOptions, settingsText, withSettings } from './settings.ts';

const settingsSchema = z.object(settingsInput);

const someSettings = settingsSchema.exactPartial();

type Settings = z.output<typeof someSettings>;

/** Key for `--json`. */
function keyJson(key: ApiKeyMessage) {
  return {
    id: key.id,
    businessId: key.businessId,
    ...settingsSchema.parse(key.settings),
    keyType: keyType(key),
    status: status(key),
    lastFour: key.lastFour,
    limit: key.limit,
    createdAt: formatTime(key.createdAtUnixMs),
    expiresAt: formatTime(key.expiresAtUnixMs),
    rotatedAt: formatTime(key.rotatedAtUnixMs),
    lastUsedAt: formatTime(key.lastUsedAtUnixMs),
    lastUsedIp: key.lastUsedIp || null,
  };
}

/** Key as text. */
function keyRecord(key: ApiKeyMessage): string {
  const { lastUsedAtUnixMs, lastUsedIp } = key;
  return formatRecord({
    id: key.id,
    business: String(key.businessId),
    ...settingsText(settingNames, settingsSchema.parse(key.settings)),
    scopes: scopes(key),
    type: keyType(key),
    status: status(key),
    'key string': `${keyType(key) === 'secret' ? 'sk' : 'rk'}_…${key.lastFour}`,
    limit: `${key.limit} requests per hour`,
    created: formatTime(key.createdAtUnixMs) ?? '',
    expires: formatTime(key.expiresAtUnixMs) ?? 'never',
    rotated: formatTime(key.rotatedAtUnixMs) ?? 'never',
    'last used': lastUsedAtUnixMs === 0 ? 'never' : `${formatTime(lastUsedAtUnixMs)} from ${lastUsedIp}`,
  });
}

/** Keys as a table. */
function keyTable(keys: readonly ApiKeyMessage[]): string {
  const headings = ['ID', 'NAME', 'TYPE', 'STATUS', 'LAST 4', 'SCOPES', 'LIMIT', 'EXPIRES', 'LAST USED'];
  const rows = keys.map((key) => [
    key.id,
    key.settings?.name ?? '',
    keyType(key),
    status(key),
    key.lastFour,
    scopes(key),
    String(key.limit),
    formatTime(key.expiresAtUnixMs) ?? 'never',
    formatTime(key.lastUsedAtUnixMs) ?? 'never',
  ]);
  return formatTable(headings, rows);
}

const keyType = (key: ApiKeyMessage) => (key.keyType === 'API_KEY_TYPE_SECRET' ? 'secret' : 'restricted');

const status = (key: ApiKeyMessage) => (key.status === 'API_KEY_STATUS_EXPIRED' ? 'expired' : 'active');

const scopes = (key: ApiKeyMessage) => key.settings?.scopes.join(',') || 'all';

const keyFormat = { json: keyJson, text: keyRecord };

interface KeyResponse {
  readonly apiKey: ApiKeyMessage | null;
  readonly propagation?: Propagation;
}

/** Result with a new key string. */
function keyStringResult({ apiKey, keyString, propagation }: KeyResponse & { readonly keyString: string }) {
  const secret = { field: 'keyString', value: keyString, name: 'key string' };
  return recordResult(keyFormat, { message: apiKey, propagation, done: 'revoked', secret });
}

/** Result with a key, possibly after a change. */
function keyResult({ apiKey, propagation }: KeyResponse) {
  return recordResult(keyFormat, { message: apiKey, propagation });
}

type KeyRpc = GrpcClient<typeof apiKeyService>['rpc'];

interface KeyOptions {
  readonly business: number;
  readonly key: string;
}

interface CreateOptions {
  readonly business: number;
  readonly type: 'secret' | 'restricted';
  readonly expires?: string;
}

/** `key …`: API keys of businesses. */
export function keyCommands(context: CommandContext): Command {
  const group = new Command('key').description('API keys of businesses');
  addCreate(group, context);
  addReads(group, context);
  addUpdate(group, context);
  addRotateAndDelete(group, context);
  addLimit(group, context);
  return group;
}

/** Flags and help of the settings. */
const settingOptions: SettingOptions<Settings> = {
  name: ['--name <name>', '1 to 100 characters'],
  description: ['--description <text>', 'up to 500 characters'],
  scopes: ['--scopes <list>', 'of a restricted key, comma-separated, such as orders:read,business:read'],
};

function addCreate(group: Command, context: CommandContext): void {
  const command = withSettings(
    addBusinessCommand(group, 'create', 'create a key; its string is shown once'),
    settingOptions,
    (setting) => setting === 'name',
  )
    .addOption(
      new Option('--type <type>', 'cannot be changed later')
        .choices(['secret', 'restricted'])
        .makeOptionMandatory(),
    )
    .option('--expires <when>', '30m, 12h, 90d, 4w or an RFC 3339 time; cannot be changed later')
    .addHelpText(
      'after',
      `
Examples:
  $ npm run admin -- key create --business 7 --name Backend --type secret
  $ npm run admin -- key create --business 7 --name Partner --type restricted --scopes orders:read --expires 90d
`,
    );
  onRun<CreateOptions & Settings>(command, context, async (options, { keys }) => {
    const { expires } = options;
    const response = await keys.CreateApiKey(
      {
        actor: operatorActor(),
        businessId: options.business,
        settings: someSettings.parse(options),
        keyType: options.type === 'secret' ? 'API_KEY_TYPE_SECRET' : 'API_KEY_TYPE_RESTRICTED',
        expiresAtUnixMs: expires === undefined ? 0 : parseExpiry(expires, context.terminal.now()),
      },
      callOptions(),
    );
    return keyStringResult(response);
  });
}

function addReads(group: Command, context: CommandContext): void {
  const list = addBusinessCommand(group, 'list', 'list the keys of a business, newest first').addHelpText(
    'after',
    example('key list --business 7 --json'),
  );
  onRun<Pick<KeyOptions, 'business'>>(list, context, async ({ business }, { keys }) => {
    const apiKeys = await listKeys(keys, business);
    return { json: apiKeys.map(keyJson), text: keyTable(apiKeys) };
  });
  const get = addKeyCommand(group, 'get', 'show a key').addHelpText('after', example(`key get ${sampleKey}`));
  onRun<KeyOptions>(get, context, async ({ business, key }, { keys }) =>
    keyResult(await keys.GetApiKey({ businessId: business, apiKeyId: key }, callOptions())),
  );
}

/** As many keys as fit into a message, whatever their settings are. */
const keysPerPage = 100;

async function listKeys(keys: KeyRpc, businessId: number): Promise<ApiKeyMessage[]> {
  const found: ApiKeyMessage[] = [];
  let pageToken = '';
  do {
    const page = await keys.ListApiKeys({ businessId, limit: keysPerPage, pageToken }, callOptions());
    found.push(...page.apiKeys);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return found;
}

function addUpdate(group: Command, context: CommandContext): void {
  const command = withSettings(
    addKeyCommand(group, 'update', 'change settings; a given list replaces the old one'),
    settingOptions,
    () => false,
  ).addHelpText('after', example(`key update ${sampleKey} --scopes orders:read`));
  onRun<KeyOptions & Settings>(command, context, async ({ business, key, ...options }, { keys }) => {
    const settings = someSettings.parse(options);
    const request = { ...reference(business, key), settings, updateMask: maskOf(settings) };
    return keyResult(await keys.UpdateApiKey(request, callOptions()));
  });
}

function addRotateAndDelete(group: Command, context: CommandContext): void {
  const rotate = addKeyCommand(
    group,
    'rotate',
    'replace the key string; the old one stops working at once',
  ).addHelpText('after', example(`key rotate ${sampleKey}`));
  onRun<KeyOptions>(rotate, context, async ({ business, key }, { keys }) =>
    keyStringResult(await keys.RotateApiKey(reference(business, key), callOptions())),
  );
  const remove = addKeyCommand(
    group,
    'delete',
    'delete a key permanently; it stops working at once',
  ).addHelpText('after', example(`key delete ${sampleKey}`));
  onRun<KeyOptions>(remove, context, async ({ business, key }, { keys }) => {
    const { propagation } = await keys.DeleteApiKey(reference(business, key), callOptions());
    return deletionResult(key, propagation);
  });
}

function addLimit(group: Command, context: CommandContext): void {
  const command = addKeyCommand(group, 'limit', 'set the limit of requests per rolling hour')
    .requiredOption('--limit <requests>', '1 to 10000000', parseCount)
    .addHelpText('after', example(`key limit ${sampleKey} --limit 25000`));
  onRun<KeyOptions & { limit: number }>(command, context, async ({ business, key, limit }, { keys }) =>
    keyResult(await keys.SetApiKeyLimit({ ...reference(business, key), limit }, callOptions())),
  );
}

const sampleKey = '--business 7 --key key_5f2b8c19ad03e47766b1c0de';

function addKeyCommand(group: Command, name: string, description: string): Command {
  return addBusinessCommand(group, name, description).requiredOption('--key <id>', 'identifier of the key');
}

function reference(businessId: number, apiKeyId: string) {
  return { actor: operatorActor(), businessId, apiKeyId };
}
