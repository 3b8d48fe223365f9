import type { BusinessMessage } from '@platform/protos/business';
import type { Propagation } from '@platform/protos/identity';
import { Command } from 'commander';
import { addTeamAndFreeze } from './account.ts';
import { UsageError } from './arguments.ts';
import { addListAndFind } from './business-list.ts';
import { businessJson, businessRecord } from './business-output.ts';
import type { Clients } from './clients.ts';
import {
  addBusinessCommand,
  type CommandContext,
  type CommandResult,
  callOptions,
  example,
  onRun,
  operatorActor,
} from './command.ts';
import { findLookalikes } from './lookalikes.ts';
import { pendingNotice, propagationJson, requireMessage } from './output.ts';

interface BusinessOptions {
  readonly business: number;
}

interface Reason {
  readonly reason: string;
}

interface CreateOptions {
  readonly accountHolder: string;
  readonly username: string;
  readonly logo?: string;
}

interface LegalFactOptions {
  readonly legalName?: string;
  readonly registrationNumber?: string;
  readonly country?: string;
}

/** `business …`: business accounts, verification and bans. */
export function businessCommands(context: CommandContext): Command {
  const group = new Command('business').description(
    'business accounts: verification, bans, freezes and teams',
  );
  addCreate(group, context);
  addGet(group, context);
  addListAndFind(group, context);
  addVerification(group, context);
  addBan(group, context);
  addRemoveLogo(group, context);
  addTeamAndFreeze(group, context);
  return group;
}

function addCreate(group: Command, context: CommandContext): void {
  const command = group
    .command('create')
    .description('create an unverified business')
    .requiredOption('--account-holder <name>', 'display name')
    .requiredOption('--username <name>', 'unique: 3 to 32 of a-z 0-9 and hyphen, starting with a letter')
    .option('--logo <url>', 'https URL of the logo')
    .addHelpText('after', example('business create --account-holder "Acme Ltd" --username acme'));
  onRun<CreateOptions>(command, context, async ({ accountHolder, username, logo = '' }, clients) => {
    const business = { actor: operatorActor(), accountHolder, username, logo };
    const { businessId } = await clients.accounts.CreateBusiness(business, callOptions());
    return businessResult(await clients.businesses.GetBusiness({ businessId }, callOptions()));
  });
}

function addGet(group: Command, context: CommandContext): void {
  const command = addBusinessCommand(group, 'get', 'show a business').addHelpText(
    'after',
    example('business get --business 7'),
  );
  onRun<BusinessOptions>(command, context, async ({ business }, { businesses }) =>
    withLookalikes(await businesses.GetBusiness({ businessId: business }, callOptions()), businesses),
  );
}

function addVerification(group: Command, context: CommandContext): void {
  const verify = addBusinessCommand(
    group,
    'verify',
    'approve a business; submits its legal facts first if given',
  )
    .option('--legal-name <name>', 'registered name')
    .option('--registration-number <number>', 'registration number')
    .option('--country <code>', 'ISO 3166-1 alpha-2, such as DE')
    .addHelpText(
      'after',
      example(
        'business verify --business 7 --legal-name "Acme Limited" --registration-number "HRB 1" --country DE',
      ),
    );
  onRun<BusinessOptions & LegalFactOptions>(verify, context, ({ business, ...facts }, clients) =>
    verifyBusiness(business, facts, clients),
  );
  const reject = addBusinessCommand(group, 'reject', 'reject the submitted legal facts')
    .requiredOption('--reason <text>', 'why; shown to the owner')
    .addHelpText(
      'after',
      example('business reject --business 7 --reason "the number is not in the register"'),
    );
  onRun<BusinessOptions & { reason: string }>(reject, context, async ({ business, reason }, clients) => {
    const decision = { actor: operatorActor(), businessId: business, approved: false, reason };
    await clients.accounts.DecideVerification(decision, callOptions());
    return businessResult(await clients.businesses.GetBusiness({ businessId: business }, callOptions()));
  });
}

function addBan(group: Command, context: CommandContext): void {
  const ban = addBusinessCommand(
    group,
    'ban',
    'ban a business: it can only read its own record, and its applications are suspended',
  );
  addReason(ban, 'business ban --business 7 --reason "it sells what does not exist"');
  onRun<BusinessOptions & Reason>(ban, context, (options, clients) => setBan(options, true, clients));
  const unban = addBusinessCommand(group, 'unban', 'lift a ban, and the suspension of its applications');
  addReason(unban, 'business unban --business 7 --reason "it was mistaken for another one"');
  onRun<BusinessOptions & Reason>(unban, context, (options, clients) => setBan(options, false, clients));
}

function addReason(command: Command, line: string): void {
  command.requiredOption('--reason <text>', 'why; shown to the owners').addHelpText('after', example(line));
}

async function setBan(
  { business: businessId, reason }: BusinessOptions & Reason,
  isBanned: boolean,
  { applications, businesses }: Clients,
): Promise<CommandResult> {
  const change = { actor: operatorActor(), businessId, isBanned, reason };
  const { propagation } = await applications.SetPublisherBan(change, callOptions());
  return businessResult(await businesses.GetBusiness({ businessId }, callOptions()), propagation);
}

function addRemoveLogo(group: Command, context: CommandContext): void {
  const remove = addBusinessCommand(group, 'remove-logo', 'take the logo of a business away, as for abuse');
  addReason(remove, 'business remove-logo --business 7 --reason "it is that of a bank"');
  onRun<BusinessOptions & Reason>(remove, context, async ({ business, reason }, clients) => {
    await clients.accounts.RemoveLogo(
      { actor: operatorActor(), businessId: business, reason },
      callOptions(),
    );
    return businessResult(await clients.businesses.GetBusiness({ businessId: business }, callOptions()));
  });
}

async function verifyBusiness(
  businessId: number,
  { legalName, registrationNumber, country }: LegalFactOptions,
  { accounts, businesses }: Clients,
): Promise<CommandResult> {
  const given = [legalName, registrationNumber, country].filter((fact) => fact !== undefined);
  if (given.length > 0) {
    if (legalName === undefined || registrationNumber === undefined || country === undefined) {
      throw new UsageError('--legal-name, --registration-number and --country go together.');
    }
    const facts = { actor: operatorActor(), businessId, legalName, registrationNumber, country };
    await accounts.SubmitVerification(facts, callOptions());
  }
  const decision = { actor: operatorActor(), businessId, approved: true };
  await accounts.DecideVerification(decision, callOptions());
  return withLookalikes(await businesses.GetBusiness({ businessId }, callOptions()), businesses);
}

/** The business, with other verified businesses whose names look like its own: an operator decides whether it imitates them. */
async function withLookalikes(
  { business }: { readonly business: BusinessMessage | null },
  businesses: Clients['businesses'],
): Promise<CommandResult> {
  const record = requireMessage(business);
  const names = [record.accountHolder, record.verification?.legalName ?? ''].filter((name) => name !== '');
  const found = await findLookalikes(businesses, record.id, names);
  const json = { ...businessJson(record), looksLike: found.json };
  return { json, text: businessRecord(record) + found.text };
}

function businessResult(
  { business }: { readonly business: BusinessMessage | null },
  propagation?: Propagation,
): CommandResult {
  const record = requireMessage(business);
  return {
    json: { ...businessJson(record), ...propagationJson(propagation) },
    text: businessRecord(record),
    pending: pendingNotice('changed', propagation),
  };
}
