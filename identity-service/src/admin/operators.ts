import type { OperatorInvitationMessage, OperatorMessage } from '@platform/protos/identity';
import { Command, Option } from 'commander';
import { parseCount, UsageError } from './arguments.ts';
import type { Clients } from './clients.ts';
import { type CommandContext, callOptions, example, onRun, operatorActor } from './command.ts';
import { formatRecord, formatTable, formatTime, requireMessage } from './output.ts';

interface OfPerson {
  readonly email: string;
}

/** `operator …`: who may use the console. */
export function operatorCommands(context: CommandContext): Command {
  const group = new Command('operator').description('operators of the console at /operators');
  const invite = addEmailCommand(
    group,
    'invite',
    'email a link that makes a person an operator, for 24 hours',
  );
  onRun<OfPerson>(invite, context, async ({ email }, { operators }) => {
    const { invitation } = await operators.InviteOperator({ actor: operatorActor(), email }, callOptions());
    const json = invitationJson(requireMessage(invitation));
    return { json, text: formatRecord({ 'invitation of': json.email, expires: json.expiresAt ?? '' }) };
  });
  const list = group
    .command('list')
    .description('list operators and open invitations')
    .addHelpText('after', example('operator list'));
  onRun(list, context, async (_, clients) => {
    const { operators, invitations } = await clients.operators.ListOperators({}, callOptions());
    const json = { operators: operators.map(operatorJson), invitations: invitations.map(invitationJson) };
    return { json, text: table(json) };
  });
  const remove = addEmailCommand(group, 'remove', 'end the role of an operator from the next request on');
  onRun<OfPerson>(remove, context, async ({ email }, { operators }) => {
    await operators.RemoveOperator({ actor: operatorActor(), email }, callOptions());
    return { json: { email, removed: true }, text: `${email} is no operator.\n` };
  });
  const fourEyes = group
    .command('four-eyes')
    .description('whether a ban in the console takes two operators')
    .addOption(
      new Option('--set <state>', 'turn it on, or off, which another operator confirms').choices([
        'on',
        'off',
      ]),
    )
    .addHelpText('after', example('operator four-eyes --set on'));
  onRun<{ readonly set?: 'on' | 'off' }>(fourEyes, context, async ({ set }, { operators }) => {
    const actor = operatorActor();
    const { isOn, offAskedBy } =
      set === undefined
        ? await operators.GetFourEyes({}, callOptions())
        : await operators.SetFourEyes({ actor, isOn: set === 'on' }, callOptions());
    const asked = offAskedBy === '' ? '' : `, until another operator than ${offAskedBy} turns it off, too`;
    return {
      json: { fourEyes: isOn, offAskedBy: offAskedBy || null },
      text: `${isOn ? `On${asked}` : 'Off'}.\n`,
    };
  });
  return group;
}

function addEmailCommand(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .requiredOption('--email <address>', 'email address of the person')
    .addHelpText('after', example(`operator ${name} --email ada@example.com`));
}

function operatorJson({ sinceUnixMs, ...operator }: OperatorMessage) {
  return { ...operator, since: formatTime(sinceUnixMs) };
}

function invitationJson({ expiresAtUnixMs, ...invitation }: OperatorInvitationMessage) {
  return { ...invitation, expiresAt: formatTime(expiresAtUnixMs) };
}

interface Listed {
  readonly operators: readonly ReturnType<typeof operatorJson>[];
  readonly invitations: readonly ReturnType<typeof invitationJson>[];
}

function table({ operators, invitations }: Listed): string {
  if (operators.length + invitations.length === 0) return 'No operator.\n';
  const rows = [
    ...operators.map(({ email, name, hasSecondFactor, since, invitedBy }) => {
      const factor = hasSecondFactor ? 'on' : 'OFF: refused until it is on';
      return [email, name, factor, `since ${since}`, invitedBy];
    }),
    ...invitations.map(({ email, expiresAt, invitedBy }) => [
      email,
      '',
      '',
      `invited until ${expiresAt}`,
      invitedBy,
    ]),
  ];
  return formatTable(['EMAIL', 'NAME', 'SECOND FACTOR', 'STATE', 'INVITED BY'], rows);
}

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
  onRun<VerifyOptions>(verify, context, async ({ count, hash }, { operators }) => {
    if ((count === undefined) !== (hash === undefined))
      throw new UsageError('--count and --hash go together.');
    const checked = await verifyLog(operators, count === undefined ? undefined : { count, hash: hash ?? '' });
    const text = formatRecord({ rows: String(checked.count), hash: checked.hash });
    return { json: checked, text: `Every row fits.\n${text}` };
  });
}

interface Seen {
  readonly count: number;
  readonly hash: string;
}

/** Rows of one call. */
const batch = 1_000;

/** @param earlier end of the log in an earlier run @throws Error that names the first row that does not fit */
async function verifyLog(operators: Clients['operators'], earlier: Seen | undefined): Promise<Seen> {
  let checked: Seen = { count: 0, hash: '' };
  for (;;) {
    const left = (earlier?.count ?? 0) - checked.count;
    const limit = left > 0 ? Math.min(left, batch) : batch;
    const part = await operators.CheckOperatorLog({ ...checked, limit }, callOptions());
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
