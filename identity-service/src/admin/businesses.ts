import type { BusinessMessage } from '@platform/protos/business';
import { Command } from 'commander';
import { UsageError } from './arguments.ts';
import type { Clients } from './clients.ts';
import { type Answer, type CommandContext, callOptions, commandOfBusiness, onRun } from './command.ts';
import { formatRecord, present, toMoment } from './output.ts';

/** A business as `--json` prints it. */
function businessJson(business: BusinessMessage) {
  return {
    id: business.id,
    uniqueId: business.uniqueId,
    accountHolder: business.accountHolder,
    username: business.username,
    logo: business.logo || null,
    isBanned: business.isBanned,
    createdAt: toMoment(business.createdAtUnixMs),
    verification: {
      status: verificationStatus(business),
      legalName: business.verification?.legalName || null,
      registrationNumber: business.verification?.registrationNumber || null,
      country: business.verification?.country || null,
      submittedAt: toMoment(business.verification?.submittedAtUnixMs ?? 0),
      decidedAt: toMoment(business.verification?.decidedAtUnixMs ?? 0),
      rejectionReason: business.verification?.rejectionReason || null,
    },
  };
}

/** A business as people read it. */
function businessRecord(business: BusinessMessage): string {
  const { verification, ...fields } = businessJson(business);
  return formatRecord({
    id: String(fields.id),
    'unique id': fields.uniqueId,
    'account holder': fields.accountHolder,
    username: fields.username,
    logo: fields.logo ?? '',
    banned: fields.isBanned ? 'yes' : 'no',
    verification: verification.status,
    'legal name': verification.legalName ?? '',
    'registration number': verification.registrationNumber ?? '',
    country: verification.country ?? '',
    ...(verification.rejectionReason !== null && { 'rejected because': verification.rejectionReason }),
    created: fields.createdAt ?? '',
  });
}

function verificationStatus({ verification }: BusinessMessage): string {
  const status = verification?.status ?? 'VERIFICATION_STATUS_UNVERIFIED';
  return status.replace('VERIFICATION_STATUS_', '').toLowerCase();
}

interface One {
  readonly business: number;
}

interface Create {
  readonly accountHolder: string;
  readonly username: string;
  readonly logo?: string;
}

interface LegalFacts {
  readonly legalName?: string;
  readonly registrationNumber?: string;
  readonly country?: string;
}

/** `business …`: accounts, their verification and bans. */
export function businessCommands(context: CommandContext): Command {
  const group = new Command('business').description('business accounts: verification and bans');
  addCreate(group, context);
  addGet(group, context);
  addVerification(group, context);
  addBan(group, context);
  return group;
}

function addCreate(group: Command, context: CommandContext): void {
  const command = group
    .command('create')
    .description('make a business, unverified')
    .requiredOption('--account-holder <name>', 'display name')
    .requiredOption('--username <name>', 'unique: 3 to 32 of a-z 0-9 and hyphen, starting with a letter')
    .option('--logo <url>', 'https URL of the logo')
    .addHelpText('after', example('create --account-holder "Acme Ltd" --username acme'));
  onRun<Create>(command, context, async ({ accountHolder, username, logo = '' }, { businesses }) =>
    shown(await businesses.CreateBusiness({ accountHolder, username, logo }, callOptions())),
  );
}

function addGet(group: Command, context: CommandContext): void {
  const command = commandOfBusiness(group, 'get', 'show a business').addHelpText(
    'after',
    example('get --business 7'),
  );
  onRun<One>(command, context, async ({ business }, { businesses }) =>
    shown(await businesses.GetBusiness({ businessId: business }, callOptions())),
  );
}

function addVerification(group: Command, context: CommandContext): void {
  const verify = commandOfBusiness(
    group,
    'verify',
    'approve a business, handing in its legal facts first if they are given',
  )
    .option('--legal-name <name>', 'name in the register')
    .option('--registration-number <number>', 'number in the register')
    .option('--country <code>', 'ISO 3166-1 alpha-2, as DE')
    .addHelpText(
      'after',
      example('verify --business 7 --legal-name "Acme Limited" --registration-number "HRB 1" --country DE'),
    );
  onRun<One & LegalFacts>(verify, context, ({ business, ...facts }, clients) =>
    verifyBusiness(business, facts, clients),
  );
  const reject = commandOfBusiness(group, 'reject', 'refuse the legal facts that were handed in')
    .requiredOption('--reason <text>', 'why; shown to the owner')
    .addHelpText('after', example('reject --business 7 --reason "the number is not in the register"'));
  onRun<One & { reason: string }>(reject, context, async ({ business, reason }, { businesses }) =>
    shown(await businesses.RejectVerification({ businessId: business, reason }, callOptions())),
  );
}

function addBan(group: Command, context: CommandContext): void {
  const ban = commandOfBusiness(group, 'ban', 'let a business read its own record, and nothing else');
  onRun<One>(
    ban.addHelpText('after', example('ban --business 7')),
    context,
    async (options, { businesses }) =>
      shown(await businesses.BanBusiness({ businessId: options.business }, callOptions())),
  );
  const unban = commandOfBusiness(group, 'unban', 'lift a ban');
  onRun<One>(unban.addHelpText('after', example('unban --business 7')), context, async (options, clients) =>
    shown(await clients.businesses.UnbanBusiness({ businessId: options.business }, callOptions())),
  );
}

async function verifyBusiness(
  businessId: number,
  { legalName, registrationNumber, country }: LegalFacts,
  { businesses }: Clients,
): Promise<Answer> {
  const given = [legalName, registrationNumber, country].filter((fact) => fact !== undefined);
  if (given.length > 0) {
    if (legalName === undefined || registrationNumber === undefined || country === undefined) {
      throw new UsageError('--legal-name, --registration-number and --country go together.');
    }
    await businesses.SubmitVerification(
      { businessId, legalName, registrationNumber, country },
      callOptions(),
    );
  }
  return shown(await businesses.ApproveVerification({ businessId }, callOptions()));
}

function shown({ business }: { readonly business: BusinessMessage | null }): Answer {
  const record = present(business);
  return { json: businessJson(record), text: businessRecord(record) };
}

function example(line: string): string {
  return `\nExample:\n  $ npm run admin -- business ${line}\n`;
}
