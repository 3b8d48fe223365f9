import { Command, Option } from 'commander';
import { operatorActor } from './actor.ts';
import { callOptions } from './call-options.ts';
import { type CommandContext, onRun } from './command-action.ts';
import { commandOfBusiness } from './command-of-business.ts';
import { parseExpiry } from './expiry.ts';
import { answerWithDeletion, answerWithKey, answerWithKeyString } from './key-answer.ts';
import { keyJson, keyTable } from './key-view.ts';
import { parseList } from './list-argument.ts';
import { parseCount } from './number-argument.ts';

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
