import { Command, Option } from 'commander';
import { z } from 'zod';
import type { Acts } from '../acts.ts';
import type { ApiKey } from '../credentials/api-keys/api-key.ts';
import { freezeApiKey, liftKeyFreeze } from '../credentials/api-keys/freeze.ts';
import {
  createApiKey,
  deleteApiKey,
  getApiKey,
  rotateApiKey,
  setApiKeyLimit,
  updateApiKey,
} from '../credentials/api-keys/operations.ts';
import { type KeyType, settingNames, settingsInput } from '../credentials/api-keys/settings.ts';
import type { Propagation } from '../platform/credential-generations.ts';
import { parseCount, parseExpiry } from './arguments.ts';
import { addBusinessCommand, type CommandContext, example, onRun, operatorActor } from './command.ts';
import { formatRecord, formatTable, formatTime } from './output.ts';
import { deletionResult, recordResult } from './results.ts';
import { scopeTexts } from './scope-texts.ts';
import { type SettingOptions, settingsText, withSettings } from './settings.ts';

const settingsSchema = z.object(settingsInput);

const someSettings = settingsSchema.exactPartial();

type Settings = z.output<typeof someSettings>;

type RequestedSettings = Settings & { readonly name: string };

/** Key for `--json`. */
function keyJson(key: ApiKey) {
  return {
    id: key.id,
    businessId: key.businessId,
    ...settingsSchema.parse(key),
    keyType: key.keyType,
    status: key.status,
    lastFour: key.lastFour,
    frozenAt: formatTime(key.freeze?.frozenAt),
    freezeReason: key.freeze?.reason ?? null,
    limit: key.limit,
    createdAt: formatTime(key.createdAt),
    expiresAt: formatTime(key.expiresAt),
    rotatedAt: formatTime(key.rotatedAt),
    lastUsedAt: formatTime(key.lastUsedAt),
    lastUsedIp: key.lastUsedIp ?? null,
  };
}

type Known = Pick<Acts, 'apiScopes'>;

/** Key as text. */
function keyRecord(known: Known, key: ApiKey): string {
  const { lastUsedAt, lastUsedIp } = key;
  return formatRecord({
    id: key.id,
    business: String(key.businessId),
    ...settingsText(settingNames, key),
    scopes: scopes(known, key),
    type: key.keyType,
    status: statusOf(key),
    ...(key.freeze && {
      frozen: `since ${formatTime(key.freeze.frozenAt)}: ${key.freeze.reason || 'no reason'}`,
    }),
    'key string': `${key.keyType === 'secret' ? 'sk' : 'rk'}_…${key.lastFour}`,
    limit: `${key.limit} requests per hour`,
    created: formatTime(key.createdAt),
    expires: formatTime(key.expiresAt) ?? 'never',
    rotated: formatTime(key.rotatedAt) ?? 'never',
    'last used': lastUsedAt === undefined ? 'never' : `${formatTime(lastUsedAt)} from ${lastUsedIp ?? ''}`,
  });
}

/** Keys as a table. */
function keyTable(known: Known, keys: readonly ApiKey[]): string {
  const headings = ['ID', 'NAME', 'TYPE', 'STATUS', 'LAST 4', 'SCOPES', 'LIMIT', 'EXPIRES', 'LAST USED'];
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.keyType,
    statusOf(key),
    key.lastFour,
    scopes(known, key),
    String(key.limit),
    formatTime(key.expiresAt) ?? 'never',
    formatTime(key.lastUsedAt) ?? 'never',
  ]);
  return formatTable(headings, rows);
}

/** `active`, `expired`, or `frozen` for an active key that is refused. */
const statusOf = ({ status, freeze }: ApiKey) =>
  status === 'active' && freeze !== undefined ? 'frozen' : status;

const scopes = (known: Known, key: ApiKey) => scopeTexts(known, key.scopes).join(',') || 'all';

const keyFormat = (known: Known) => ({ json: keyJson, text: (key: ApiKey) => keyRecord(known, key) });

interface ChangedKey {
  readonly key: ApiKey;
  readonly propagation?: Propagation;
}

/** Result with a new key string. */
function keyStringResult(
  known: Known,
  { key, keyString, propagation }: ChangedKey & { readonly keyString: string },
) {
  const secret = { field: 'keyString', value: keyString, name: 'key string' };
  return recordResult(keyFormat(known), { record: key, propagation, done: 'revoked', secret });
}

/** Result with a key, possibly after a change. */
function keyResult(known: Known, { key, propagation }: ChangedKey, done?: string) {
  return recordResult(keyFormat(known), { record: key, propagation, done });
}

interface KeyOptions {
  readonly business: number;
  readonly key: string;
}

interface CreateOptions {
  readonly business: number;
  readonly type: KeyType;
  readonly expires?: string;
}

/** `key …`: API keys of businesses. */
export function keyCommands(context: CommandContext): Command {
  const group = new Command('key').description('API keys of businesses');
  addCreate(group, context);
  addReads(group, context);
  addUpdate(group, context);
  addRotateAndDelete(group, context);
  addFreeze(group, context);
  addLimit(group, context);
  return group;
}

/** Flags and help of the settings. */
const settingOptions: SettingOptions<Settings> = {
  name: ['--name <name>', '1 to 100 characters'],
  description: ['--description <text>', 'up to 500 characters'],
  scopes: ['--scopes <list>', 'of a restricted key, comma-separated, such as orders:read,business:read'],
  ipWhitelist: [
    '--ip-whitelist <list>',
    'comma-separated addresses and networks that may use it; "" for any',
  ],
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
  onRun<CreateOptions & RequestedSettings>(command, context, async (options, acts) => {
    const { business, type, expires, name } = options;
    const input = {
      actor: operatorActor(),
      businessId: business,
      settings: { ...someSettings.parse(options), name },
      keyType: type,
      expiresAt: expires === undefined ? undefined : parseExpiry(expires, context.terminal.now()),
      isConfirmed: true,
    };
    return keyStringResult(acts, await createApiKey(acts, input));
  });
}

function addReads(group: Command, context: CommandContext): void {
  const list = addBusinessCommand(group, 'list', 'list the keys of a business, newest first').addHelpText(
    'after',
    example('key list --business 7 --json'),
  );
  onRun<Pick<KeyOptions, 'business'>>(list, context, async ({ business }, acts) => {
    const keys = await acts.keys.list(business);
    return { json: keys.map(keyJson), text: keyTable(acts, keys) };
  });
  const get = addKeyCommand(group, 'get', 'show a key').addHelpText('after', example(`key get ${sampleKey}`));
  onRun<KeyOptions>(get, context, async (options, acts) =>
    keyResult(acts, { key: await getApiKey(acts, reference(options)) }),
  );
}

function addUpdate(group: Command, context: CommandContext): void {
  const command = withSettings(
    addKeyCommand(group, 'update', 'change settings; a given list replaces the old one'),
    settingOptions,
    () => false,
  ).addHelpText('after', example(`key update ${sampleKey} --scopes orders:read`));
  onRun<KeyOptions & Settings>(command, context, async (options, acts) => {
    const settings = someSettings.parse(options);
    const update = { settings, keyTypeGiven: false, expirationGiven: false };
    return keyResult(acts, await updateApiKey(acts, { ...reference(options), update }));
  });
}

function addRotateAndDelete(group: Command, context: CommandContext): void {
  const rotate = addKeyCommand(
    group,
    'rotate',
    'replace the key string; the old one stops working at once',
  ).addHelpText('after', example(`key rotate ${sampleKey}`));
  onRun<KeyOptions>(rotate, context, async (options, acts) =>
    keyStringResult(acts, await rotateApiKey(acts, { ...reference(options), isConfirmed: true })),
  );
  const remove = addKeyCommand(
    group,
    'delete',
    'delete a key permanently; it stops working at once',
  ).addHelpText('after', example(`key delete ${sampleKey}`));
  onRun<KeyOptions>(remove, context, async (options, acts) => {
    const propagation = await deleteApiKey(acts, reference(options));
    return deletionResult(options.key, propagation);
  });
}

function addFreeze(group: Command, context: CommandContext): void {
  const freeze = addKeyCommand(group, 'freeze', 'refuse every request of a key until its freeze is lifted')
    .option('--reason <text>', 'shown to its team', '')
    .addHelpText('after', example(`key freeze ${sampleKey} --reason "Asked for by phone"`));
  onRun<KeyOptions & { readonly reason: string }>(freeze, context, async (options, acts) => {
    const { reason } = options;
    const input = { ...reference(options), reason, mustChange: true };
    return keyResult(acts, await freezeApiKey(acts, input), 'frozen');
  });
  const unfreeze = addKeyCommand(group, 'unfreeze', 'lift the freeze of a key').addHelpText(
    'after',
    example(`key unfreeze ${sampleKey}`),
  );
  onRun<KeyOptions>(unfreeze, context, async (options, acts) =>
    keyResult(acts, await liftKeyFreeze(acts, { ...reference(options), mustChange: true })),
  );
}

function addLimit(group: Command, context: CommandContext): void {
  const command = addKeyCommand(group, 'limit', 'set the limit of requests per rolling hour')
    .requiredOption('--limit <requests>', '1 to 10000000', parseCount)
    .addHelpText('after', example(`key limit ${sampleKey} --limit 25000`));
  onRun<KeyOptions & { limit: number }>(command, context, async (options, acts) =>
    keyResult(acts, await setApiKeyLimit(acts, { ...reference(options), limit: options.limit })),
  );
}

const sampleKey = '--business 7 --key key_5f2b8c19ad03e47766b1c0de';

function addKeyCommand(group: Command, name: string, description: string): Command {
  return addBusinessCommand(group, name, description).requiredOption('--key <id>', 'identifier of the key');
}

function reference({ business, key }: KeyOptions) {
  return { actor: operatorActor(), businessId: business, apiKeyId: key };
}
