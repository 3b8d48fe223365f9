import type { Command } from 'commander';
import { verifyLog } from '../audit/operator-log/verify.ts';
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
