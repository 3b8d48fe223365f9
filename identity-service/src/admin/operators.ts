import { parseInput } from '@platform/service-kit/input/validation.ts';
import { Command, Option } from 'commander';
import { inviteOperator, removeOperator } from '../operators/operator.ts';
import type { Operator, OperatorInvitation } from '../operators/store.ts';
import { ofPerson } from './arguments.ts';
import { type CommandContext, example, onRun, operatorActor } from './command.ts';
import { formatRecord, formatTable, formatTime } from './output.ts';

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
  onRun<OfPerson>(invite, context, async (options, acts) => {
    const json = invitationJson(await inviteOperator(acts, changeOf(options)));
    return { json, text: formatRecord({ 'invitation of': json.email, expires: json.expiresAt }) };
  });
  const list = group
    .command('list')
    .description('list operators and open invitations')
    .addHelpText('after', example('operator list'));
  onRun(list, context, async (_, acts) => {
    const store = acts.operators;
    const [operators, invitations] = await Promise.all([store.list(), store.invitations()]);
    const json = { operators: operators.map(operatorJson), invitations: invitations.map(invitationJson) };
    return { json, text: table(json) };
  });
  const remove = addEmailCommand(group, 'remove', 'end the role of an operator from the next request on');
  onRun<OfPerson>(remove, context, async (options, acts) => {
    await removeOperator(acts, changeOf(options));
    const { email } = options;
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
  onRun<{ readonly set?: 'on' | 'off' }>(fourEyes, context, async ({ set }, { fourEyes: store }) => {
    const { isOn, offAskedBy } =
      set === undefined ? await store.read() : await store.set(operatorActor(), set === 'on');
    const asked =
      offAskedBy === undefined ? '' : `, until another operator than ${offAskedBy} turns it off, too`;
    return {
      json: { fourEyes: isOn, offAskedBy: offAskedBy ?? null },
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

/** @throws AppError invalid_request for what is no address */
const changeOf = (options: OfPerson) => ({
  ...parseInput(ofPerson, options, 'invalid_request'),
  actor: operatorActor(),
});

function operatorJson({ since, ...operator }: Operator) {
  return { ...operator, since: formatTime(since) };
}

function invitationJson({ email, invitedBy, expiresAt }: OperatorInvitation) {
  return { email, invitedBy, expiresAt: formatTime(expiresAt) };
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
