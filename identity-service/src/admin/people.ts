import { parseInput } from '@platform/service-kit/input/validation.ts';
import { Command } from 'commander';
import { removeFactors } from '../people/passkeys/remove-factors.ts';
import { checkOperatorReason } from '../platform/reason.ts';
import { ofPerson } from './arguments.ts';
import { type CommandContext, example, onRun, operatorActor } from './command.ts';
import { formatRecord } from './output.ts';

interface RemoveFactorsOptions {
  readonly email: string;
  readonly reason: string;
}

/** `person …`: accounts of people. */
export function personCommands(context: CommandContext): Command {
  const group = new Command('person').description('accounts of people');
  const remove = group
    .command('remove-factors')
    .description(
      'remove the authenticator app, all passkeys and the recovery codes of a person who lost them',
    )
    .requiredOption('--email <address>', 'email address of the person')
    .requiredOption('--reason <text>', 'why; shown to the person, and to the owners of their businesses')
    .addHelpText(
      'after',
      example(
        'person remove-factors --email ada@example.com --reason "phone lost; identity checked by video"',
      ),
    );
  onRun<RemoveFactorsOptions>(remove, context, async (options, acts) => {
    const { email } = parseInput(ofPerson, options, 'invalid_request');
    const change = { actor: operatorActor(), email, reason: checkOperatorReason(options.reason) };
    const removed = await removeFactors(acts, change);
    const { personId, hadApp, passkeys } = removed;
    const app = hadApp ? 'removed' : 'there was none';
    const text = formatRecord({
      person: personId,
      'authenticator app': app,
      passkeys: `${passkeys} removed`,
    });
    return { json: removed, text };
  });
  return group;
}
