import type { Command } from 'commander';
import { checkLog } from '../audit/operator-log/log.ts';
import type { OperatorLogStore } from '../audit/operator-log/store.ts';
import { parseCount, UsageError } from './arguments.ts';
import { type CommandContext, example, onRun } from './command.ts';
import { formatRecord } from './output.ts';

interface VerifyOptions {
  readonly count?: number;
  readonly hash?: string;
}

/** `audit verify`: the hash chain of the log of operators. */
export function addVerify(group: Command, context: CommandContext): void {
  const verify = group
    .command('verify')
    .description(
      'check the log of operators, and what the audit logs of businesses say of them, from the first row on',
    )
    .option('--count <rows>', 'rows that an earlier run printed: they must still be there', parseCount)
    .option('--hash <hash>', 'hash that the earlier run printed')
    .addHelpText('after', example('audit verify --count 120 --hash 3f7a…'));
  onRun<VerifyOptions>(verify, context, async ({ count, hash }, { operatorLog }) => {
    if ((count === undefined) !== (hash === undefined))
      throw new UsageError('--count and --hash go together.');
    const seen = count === undefined ? undefined : { count, hash: hash ?? '' };
    const checked = await verifyLog(operatorLog, seen);
    const text = formatRecord({ rows: String(checked.count), hash: checked.hash });
    return { json: checked, text: `Every row fits.\n${text}` };
  });
}

interface Seen {
  readonly count: number;
  readonly hash: string;
}

/** Rows of one statement. */
const batch = 1_000;

/** @param earlier end of the log in an earlier run @throws Error that names the first row that does not fit */
async function verifyLog(log: OperatorLogStore, earlier: Seen | undefined): Promise<Seen> {
  let checked: Seen = { count: 0, hash: '' };
  for (;;) {
    const left = (earlier?.count ?? 0) - checked.count;
    const limit = left > 0 ? Math.min(left, batch) : batch;
    const part = await checkLog(checked, limit, log);
    if (part.breach !== '') throw new Error(part.breach);
    checked = { count: part.count, hash: part.hash };
    if (checked.count === earlier?.count && checked.hash !== earlier.hash) {
      throw new Error(`Row ${checked.count} has another hash than before: the log was written again.`);
    }
    if (part.complete) break;
  }
  if (earlier !== undefined && checked.count < earlier.count) {
    throw new Error(`Row ${checked.count + 1} is missing: there were ${earlier.count} rows before.`);
  }
  return checked;
}
