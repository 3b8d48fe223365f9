import type { ApiKeyMessage, Propagation } from '@platform/protos/identity';
import { Command, Option } from 'commander';
import { parseCount, parseExpiry, parseList } from './arguments.ts';
import {
  type Answer,
  type CommandContext,
  callOptions,
  commandOfBusiness,
  onRun,
  operatorActor,
} from './command.ts';
import { formatRecord, formatTable, pendingNotice, present, propagationJson, toMoment } from './output.ts';

/** A key as `--json` prints it. */
function keyJson(key: ApiKeyMessage) {
  return {
    id: key.id,
    businessId: key.businessId,
    name: key.name,
    description: key.description,
    keyType: keyType(key),
    scopes: key.scopes,
    status: status(key),
    lastFour: key.lastFour,
    limit: key.limit,
    createdAt: toMoment(key.createdAtUnixMs),
    expiresAt: toMoment(key.expiresAtUnixMs),
    rotatedAt: toMoment(key.rotatedAtUnixMs),
    lastUsedAt: toMoment(key.lastUsedAtUnixMs),
    lastUsedIp: key.lastUsedIp || null,
  };
}

/** A key as people read it. */
function keyRecord(key: ApiKeyMessage): string {
  const { lastUsedAtUnixMs, lastUsedIp } = key;
  return formatRecord({
    id: key.id,
    business: String(key.businessId),
    name: key.name,
    description: key.description,
    type: keyType(key),
    scopes: scopes(key),
    status: status(key),
    'key string': `${keyType(key) === 'secret' ? 'sk' : 'rk'}_…${key.lastFour}`,
    limit: `${key.limit} requests per hour`,
    created: toMoment(key.createdAtUnixMs) ?? '',
    expires: toMoment(key.expiresAtUnixMs) ?? 'never',
    rotated: toMoment(key.rotatedAtUnixMs) ?? 'never',
    'last used': lastUsedAtUnixMs === 0 ? 'never' : `${toMoment(lastUsedAtUnixMs)} from ${lastUsedIp}`,
  });
}

/** Several keys as people read them. */
function keyTable(keys: readonly ApiKeyMessage[]): string {
  const headings = ['ID', 'NAME', 'TYPE', 'STATUS', 'LAST 4', 'SCOPES', 'LIMIT', 'EXPIRES', 'LAST USED'];
  const rows = keys.map((key) => [
    key.id,
    key.name,
    keyType(key),
    status(key),
    key.lastFour,
    scopes(key),
    String(key.limit),
    toMoment(key.expiresAtUnixMs) ?? 'never',
    toMoment(key.lastUsedAtUnixMs) ?? 'never',
  ]);
  return formatTable(headings, rows);
}

const keyType = (key: ApiKeyMessage) => (key.keyType === 'API_KEY_TYPE_SECRET' ? 'secret' : 'restricted');

const status = (key: ApiKeyMessage) => (key.status === 'API_KEY_STATUS_EXPIRED' ? 'expired' : 'active');

const scopes = (key: ApiKeyMessage) => key.scopes.join(',') || 'all';

/** A key whose string is handed out, for the only time. */
function answerWithKeyString(answer: {
  readonly apiKey: ApiKeyMessage | null;
  readonly keyString: string;
  readonly propagation?: Propagation;
}): Answer {
  const key = present(answer.apiKey);
  return {
    json: { ...keyJson(key), keyString: answer.keyString, ...propagationJson(answer.propagation) },
    text: `${keyRecord(key)}\n${answer.keyString}\n\nThis key string is shown only now. Store it where secrets are kept.\n`,
    pending: pendingNotice('revoked', answer.propagation),
  };
}

/** A key after a change. */
function answerWithKey(answer: {
  readonly apiKey: ApiKeyMessage | null;
  readonly propagation?: Propagation;
}): Answer {
  const key = present(answer.apiKey);
  return {
    json: { ...keyJson(key), ...propagationJson(answer.propagation) },
    text: keyRecord(key),
    pending: pendingNotice('changed', answer.propagation),
  };
}

/** A key that is gone. */
export function answerWithDeletion(id: string, propagation: Propagation): Answer {
  return {
    json: { id, deleted: true, ...propagationJson(propagation) },
    text: `${id} is deleted.\n`,
    pending: pendingNotice('revoked', propagation),
  };
}

interface One {
  readonly business: number;
  readonly key: string;
}

interface Create {
  readonly business: number;
  readonly name: string;
  readonly type: 'secret' | 'restricted';
  readonly description?: string;
  readonly scopes?: string[];
  readonly expires?: string;
}

type Update = One & { readonly name?: string; readonly description?: string; readonly scopes?: string[] };

/** `key …`: API keys of businesses. */
export function keyCommands(context: CommandContext): Command {
  const group = new Command('key').description('API keys of businesses');
  addCreate(group, context);
  addReading(group, context);
  addUpdate(group, context);
  addRevocation(group, context);
  addLimit(group, context);
  return group;
}

const scopesHelp = 'comma-separated, as orders:read,business:read';

function addCreate(group: Command, context: CommandContext): void {
  const command = commandOfBusiness(group, 'create', 'make a key; its string is shown once')
    .requiredOption('--name <name>', '1 to 100 characters')
    .addOption(
      new Option('--type <type>', 'kind; never changes')
        .choices(['secret', 'restricted'])
        .makeOptionMandatory(),
    )
    .option('--description <text>', 'up to 500 characters')
    .option('--scopes <list>', `what a restricted key may do: ${scopesHelp}`, parseList)
    .option('--expires <when>', '30m, 12h, 90d, 4w or an RFC 3339 time; never changes')
    .addHelpText(
      'after',
      `
Examples:
  $ npm run admin -- key create --business 7 --name Backend --type secret
  $ npm run admin -- key create --business 7 --name Partner --type restricted --scopes orders:read --expires 90d
`,
    );
  onRun<Create>(command, context, async (options, { keys }) => {
    const { expires } = options;
    const answer = await keys.CreateApiKey(
      {
        actor: operatorActor(),
        businessId: options.business,
        name: options.name,
        description: options.description ?? '',
        keyType: options.type === 'secret' ? 'API_KEY_TYPE_SECRET' : 'API_KEY_TYPE_RESTRICTED',
        scopes: options.scopes ?? [],
        expiresAtUnixMs: expires === undefined ? 0 : parseExpiry(expires, context.terminal.now()),
      },
      callOptions(),
    );
    return answerWithKeyString(answer);
  });
}

function addReading(group: Command, context: CommandContext): void {
  const list = commandOfBusiness(group, 'list', 'show every key of a business, newest first').addHelpText(
    'after',
    example('list --business 7 --json'),
  );
  onRun<Pick<One, 'business'>>(list, context, async ({ business }, { keys }) => {
    const { apiKeys } = await keys.ListApiKeys({ businessId: business }, callOptions());
    return { json: apiKeys.map(keyJson), text: keyTable(apiKeys) };
  });
  const get = ofKey(group, 'get', 'show one key').addHelpText('after', example(`get ${sampleKey}`));
  onRun<One>(get, context, async ({ business, key }, { keys }) =>
    answerWithKey(await keys.GetApiKey({ businessId: business, apiKeyId: key }, callOptions())),
  );
}

function addUpdate(group: Command, context: CommandContext): void {
  const command = ofKey(group, 'update', 'change name, description or, of a restricted key, the scopes')
    .option('--name <name>', '1 to 100 characters')
    .option('--description <text>', 'up to 500 characters')
    .option('--scopes <list>', `all scopes from now on: ${scopesHelp}`, parseList)
    .addHelpText('after', example(`update ${sampleKey} --scopes orders:read`));
  onRun<Update>(command, context, async ({ business, key, name, description, scopes }, { keys }) => {
    const changes = {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      ...(scopes !== undefined && { scopes: { scopes } }),
    };
    return answerWithKey(await keys.UpdateApiKey({ ...reference(business, key), ...changes }, callOptions()));
  });
}

function addRevocation(group: Command, context: CommandContext): void {
  const rotate = ofKey(
    group,
    'rotate',
    'replace the key string; the old one stops working at once',
  ).addHelpText('after', example(`rotate ${sampleKey}`));
  onRun<One>(rotate, context, async ({ business, key }, { keys }) =>
    answerWithKeyString(await keys.RotateApiKey(reference(business, key), callOptions())),
  );
  const remove = ofKey(group, 'delete', 'remove a key for ever; it stops working at once').addHelpText(
    'after',
    example(`delete ${sampleKey}`),
  );
  onRun<One>(remove, context, async ({ business, key }, { keys }) => {
    const { propagation } = await keys.DeleteApiKey(reference(business, key), callOptions());
    return answerWithDeletion(key, propagation);
  });
}

function addLimit(group: Command, context: CommandContext): void {
  const command = ofKey(group, 'limit', 'set how many requests any rolling hour admits')
    .requiredOption('--limit <requests>', '1 to 10000000', parseCount)
    .addHelpText('after', example(`limit ${sampleKey} --limit 25000`));
  onRun<One & { limit: number }>(command, context, async ({ business, key, limit }, { keys }) =>
    answerWithKey(await keys.SetApiKeyLimit({ ...reference(business, key), limit }, callOptions())),
  );
}

const sampleKey = '--business 7 --key key_5f2b8c19ad03e47766b1c0de';

function ofKey(group: Command, name: string, description: string): Command {
  return commandOfBusiness(group, name, description).requiredOption('--key <id>', 'identifier of the key');
}

function reference(businessId: number, apiKeyId: string) {
  return { actor: operatorActor(), businessId, apiKeyId };
}

function example(line: string): string {
  return `\nExample:\n  $ npm run admin -- key ${line}\n`;
}
