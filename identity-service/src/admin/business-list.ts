import type { BusinessMessage } from '@platform/protos/business';
import { type Command, Option } from 'commander';
import { parseCount } from './arguments.ts';
import { businessJson, verificationStatus } from './business-output.ts';
import type { Clients } from './clients.ts';
import { type CommandContext, type CommandResult, callOptions, example, onRun } from './command.ts';
import { formatTable, formatTime } from './output.ts';

/** Values of `--status`, and how the protos name them. */
const statuses = {
  unverified: 'VERIFICATION_STATUS_UNVERIFIED',
  pending: 'VERIFICATION_STATUS_PENDING',
  verified: 'VERIFICATION_STATUS_VERIFIED',
  rejected: 'VERIFICATION_STATUS_REJECTED',
} as const;

interface ListOptions {
  readonly status?: keyof typeof statuses;
  readonly banned?: boolean;
  readonly limit: number;
}

/** `business list` and `business find`. */
export function addListAndFind(group: Command, context: CommandContext): void {
  const list = group
    .command('list')
    .description('list businesses, the newest first; pending ones by how long they wait')
    .addOption(new Option('--status <status>', 'only in this state').choices(Object.keys(statuses)))
    .option('--banned', 'only banned ones')
    .option('--limit <count>', 'at most so many, up to 500', parseCount, 50)
    .addHelpText('after', example('business list --status pending'));
  onRun<ListOptions>(list, context, (options, clients) => search('', options, clients));
  const find = group
    .command('find')
    .description('find businesses by a part of a name, or by a whole id, unique id or registration number')
    .argument('<text>')
    .option('--limit <count>', 'at most so many, up to 500', parseCount, 50)
    .addHelpText('after', example('business find acme'));
  onRun<ListOptions>(find, context, (options, clients) => search(find.args[0] ?? '', options, clients));
}

async function search(
  text: string,
  { status, banned = false, limit }: ListOptions,
  { businesses }: Clients,
): Promise<CommandResult> {
  const state = status === undefined ? 'VERIFICATION_STATUS_UNSPECIFIED' : statuses[status];
  const request = { status: state, banned, search: text, limit } as const;
  const { businesses: found, hasMore } = await businesses.ListBusinesses(request, callOptions());
  const more = hasMore ? `There are more than ${limit}: narrow it down, or raise --limit.\n` : '';
  return {
    json: { businesses: found.map(businessJson), hasMore },
    text: found.length === 0 ? 'No business.\n' : table(found) + more,
  };
}

function table(found: readonly BusinessMessage[]): string {
  const headings = ['ID', 'USERNAME', 'NAME', 'REGISTERED NAME', 'VERIFICATION', 'SUBMITTED', 'BANNED'];
  const rows = found.map((business) => [
    String(business.id),
    business.username,
    business.accountHolder,
    business.verification?.legalName ?? '',
    verificationStatus(business),
    formatTime(business.verification?.submittedAtUnixMs ?? 0) ?? '',
    business.isBanned ? 'yes' : '',
  ]);
  return formatTable(headings, rows);
}
