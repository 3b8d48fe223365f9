import { type Command, Option } from 'commander';
import type { Acts } from '../acts.ts';
import type { BusinessRecord, VerificationState } from '../clients/business.ts';
import { parseCount } from './arguments.ts';
import { businessJson } from './business-output.ts';
import { type CommandContext, type CommandResult, example, newRequestId, onRun } from './command.ts';
import { formatTable, formatTime } from './output.ts';

/** Values of `--status`. */
const statuses: readonly VerificationState[] = ['unverified', 'pending', 'verified', 'rejected'];

interface ListOptions {
  readonly status?: VerificationState;
  readonly banned?: boolean;
  readonly limit: number;
}

/** `business list` and `business find`. */
export function addListAndFind(group: Command, context: CommandContext): void {
  const list = group
    .command('list')
    .description('list businesses, the newest first; pending ones by how long they wait')
    .addOption(new Option('--status <status>', 'only in this state').choices(statuses))
    .option('--banned', 'only banned ones')
    .option('--limit <count>', 'at most so many, up to 500', parseCount, 50)
    .addHelpText('after', example('business list --status pending'));
  onRun<ListOptions>(list, context, (options, acts) => search('', options, acts));
  const find = group
    .command('find')
    .description('find businesses by a part of a name, or by a whole id, unique id or registration number')
    .argument('<text>')
    .option('--limit <count>', 'at most so many, up to 500', parseCount, 50)
    .addHelpText('after', example('business find acme'));
  onRun<ListOptions>(find, context, (options, acts) => search(find.args[0] ?? '', options, acts));
}

async function search(
  text: string,
  { status, banned, limit }: ListOptions,
  { businesses }: Acts,
): Promise<CommandResult> {
  const wanted = { verification: status, banned, text, limit };
  const { businesses: found, hasMore } = await businesses.search(wanted, newRequestId());
  const more = hasMore ? `There are more than ${limit}: narrow it down, or raise --limit.\n` : '';
  return {
    json: { businesses: found.map(businessJson), hasMore },
    text: found.length === 0 ? 'No business.\n' : table(found) + more,
  };
}

function table(found: readonly BusinessRecord[]): string {
  const headings = ['ID', 'USERNAME', 'NAME', 'REGISTERED NAME', 'VERIFICATION', 'SUBMITTED', 'BANNED'];
  const rows = found.map((business) => [
    String(business.id),
    business.username,
    business.accountHolder,
    business.facts?.legalName ?? '',
    business.verification,
    formatTime(business.submittedAt) ?? '',
    business.isBanned ? 'yes' : '',
  ]);
  return formatTable(headings, rows);
}
