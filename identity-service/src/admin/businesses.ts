import { AppError } from '@platform/service-kit/values/app-error.ts';
import { Command } from 'commander';
import type { Acts } from '../acts.ts';
import { createForOperator, submitForOperator } from '../businesses/by-operator.ts';
import { takeDownLogo } from '../businesses/logos/operations.ts';
import { decideVerification } from '../businesses/record.ts';
import type { BusinessRecord } from '../clients/business.ts';
import { setPublisherBan } from '../credentials/applications/suspend.ts';
import type { Actor } from '../platform/actor.ts';
import type { Propagation } from '../platform/credential-generations.ts';
import { checkOperatorReason } from '../platform/reason.ts';
import { addTeamAndFreeze } from './account.ts';
import { UsageError } from './arguments.ts';
import { addListAndFind } from './business-list.ts';
import { businessJson, businessRecord } from './business-output.ts';
import {
  addBusinessCommand,
  type CommandContext,
  type CommandResult,
  example,
  newRequestId,
  onRun,
  operatorActor,
} from './command.ts';
import { findLookalikes } from './lookalikes.ts';
import { pendingNotice, propagationJson } from './output.ts';

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
  onRun<CreateOptions>(command, context, async ({ accountHolder, username, logo = '' }, acts) => {
    const input = { actor: operatorActor(), business: { accountHolder, username, logo } };
    return businessResult(await read(acts, await createForOperator(acts, input)));
  });
}

function addGet(group: Command, context: CommandContext): void {
  const command = addBusinessCommand(group, 'get', 'show a business').addHelpText(
    'after',
    example('business get --business 7'),
  );
  onRun<BusinessOptions>(command, context, async ({ business }, acts) =>
    withLookalikes(await read(acts, business), acts),
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
  onRun<BusinessOptions & LegalFactOptions>(verify, context, ({ business, ...facts }, acts) =>
    verifyBusiness(business, facts, acts),
  );
  const reject = addBusinessCommand(group, 'reject', 'reject the submitted legal facts')
    .requiredOption('--reason <text>', 'why; shown to the owner')
    .addHelpText(
      'after',
      example('business reject --business 7 --reason "the number is not in the register"'),
    );
  onRun<BusinessOptions & { reason: string }>(reject, context, async ({ business, reason }, acts) => {
    const decision = { actor: operatorActor(), businessId: business, approved: false, reason };
    await decideVerification(acts, decision);
    return businessResult(await read(acts, business));
  });
}

function addBan(group: Command, context: CommandContext): void {
  const ban = addBusinessCommand(
    group,
    'ban',
    'ban a business: it can only read its own record, and its applications are suspended',
  );
  addReason(ban, 'business ban --business 7 --reason "it sells what does not exist"');
  onRun<BusinessOptions & Reason>(ban, context, (options, acts) => setBan(options, true, acts));
  const unban = addBusinessCommand(group, 'unban', 'lift a ban, and the suspension of its applications');
  addReason(unban, 'business unban --business 7 --reason "it was mistaken for another one"');
  onRun<BusinessOptions & Reason>(unban, context, (options, acts) => setBan(options, false, acts));
}

function addReason(command: Command, line: string): void {
  command.requiredOption('--reason <text>', 'why; shown to the owners').addHelpText('after', example(line));
}

async function setBan(
  { business, reason }: BusinessOptions & Reason,
  isBanned: boolean,
  acts: Acts,
): Promise<CommandResult> {
  // The first call loads the client of business-service. Do that before the transaction that calls it.
  await read(acts, business);
  const propagation = await setPublisherBan(acts, { ...change(business, reason), isBanned });
  return businessResult(await read(acts, business), propagation);
}

function addRemoveLogo(group: Command, context: CommandContext): void {
  const remove = addBusinessCommand(group, 'remove-logo', 'take the logo of a business away, as for abuse');
  addReason(remove, 'business remove-logo --business 7 --reason "it is that of a bank"');
  onRun<BusinessOptions & Reason>(remove, context, async ({ business, reason }, acts) => {
    await takeDownLogo(acts, change(business, reason));
    return businessResult(await read(acts, business));
  });
}

async function verifyBusiness(
  businessId: number,
  { legalName, registrationNumber, country }: LegalFactOptions,
  acts: Acts,
): Promise<CommandResult> {
  const actor = operatorActor();
  const given = [legalName, registrationNumber, country].filter((fact) => fact !== undefined);
  if (given.length > 0) {
    if (legalName === undefined || registrationNumber === undefined || country === undefined) {
      throw new UsageError('--legal-name, --registration-number and --country go together.');
    }
    const facts = { legalName, registrationNumber, country };
    await submitForOperator(acts, { actor, businessId, facts });
  }
  await decideVerification(acts, { actor, businessId, approved: true });
  return withLookalikes(await read(acts, businessId), acts);
}

/** A change with its reason, which is checked. @throws AppError invalid_reason */
function change(businessId: number, reason: string): { actor: Actor; businessId: number; reason: string } {
  return { actor: operatorActor(), businessId, reason: checkOperatorReason(reason) };
}

/** @throws AppError not_found */
async function read({ businesses }: Acts, businessId: number): Promise<BusinessRecord> {
  const business = await businesses.find(businessId, newRequestId());
  if (business !== undefined) return business;
  throw new AppError('not_found', 'business_not_found', 'no such business');
}

/** The business, with other verified businesses whose names look like its own: an operator decides whether it imitates them. */
async function withLookalikes(business: BusinessRecord, acts: Acts): Promise<CommandResult> {
  const names = [business.accountHolder, business.facts?.legalName ?? ''].filter((name) => name !== '');
  const found = await findLookalikes(acts, business.id, names);
  const json = { ...businessJson(business), looksLike: found.json };
  return { json, text: businessRecord(business) + found.text };
}

function businessResult(business: BusinessRecord, propagation?: Propagation): CommandResult {
  return {
    json: { ...businessJson(business), ...propagationJson(propagation) },
    text: businessRecord(business),
    pending: pendingNotice('changed', propagation),
  };
}
