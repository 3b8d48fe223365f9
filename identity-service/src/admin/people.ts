import { Command } from 'commander';
import { type CommandContext, callOptions, example, onRun, operatorActor } from './command.ts';
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
  onRun<RemoveFactorsOptions>(remove, context, async ({ email, reason }, { people }) => {
    const request = { actor: operatorActor(), email, reason };
    const removed = await people.RemoveFactors(request, callOptions());
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
