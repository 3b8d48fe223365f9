import { Command, CommanderError } from 'commander';
import { addCompletion } from './commands/completion.ts';
import { addEvents } from './commands/events.ts';
import { addExplain } from './commands/explain.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addOrders } from './commands/orders.ts';
import { addTail } from './commands/tail.ts';
import { addTrigger } from './commands/trigger.ts';
import type { Context } from './context.ts';
import { errorLines, errorObject, exitCodeOf, exitCodes, UsageError } from './errors.ts';
import { toJson } from './output.ts';

/** The program with all of its commands. */
function createProgram(context: Context, { isJson }: { readonly isJson: boolean }): Command {
  const { name, version, terminal, platform } = context;
  const program = new Command(name)
    .description('The Business API on the command line.')
    .version(version)
    .option('--json', 'print JSON for programs, one object per line')
    .option('--profile <name>', 'use the key that was stored under this name', 'default')
    .option('--url <url>', `origin of the platform; ${platform} where no profile has one`)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text) => {
        const message = text.trim().replace(/^error: /, '');
        terminal.note(isJson ? toJson(errorObject(new UsageError(message))) : text.trimEnd());
      },
    })
    .showHelpAfterError(isJson ? false : `(see ${name} --help)`)
    .exitOverride()
    .addHelpText('after', environmentHelp);
  for (const add of [
    addLogin,
    addOrders,
    addEvents,
    addTail,
    addListen,
    addTrigger,
    addExplain,
    addCompletion,
  ])
    add(program, context);
  return program;
}

const environmentHelp = `
Variables: BUSINESS_API_KEY and BUSINESS_API_URL take precedence over a profile; NO_COLOR turns colors off.

Exit codes: 0 done; 1 the platform or the command refuses; 2 invalid usage; 3 not logged in, or the key is no longer valid;
4 no connection; 70 an error of this program; 130 ended by Ctrl-C.`;

/** Runs one command line. Prints its error, and resolves to the exit code. */
export async function run(args: readonly string[], context: Context): Promise<number> {
  const { terminal, signal, name } = context;
  const isJson = args.includes('--json');
  try {
    await createProgram(context, { isJson }).parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // The parser has printed it.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (signal.aborted) return exitCodes.interrupted;
    if (isJson) terminal.note(toJson(errorObject(error)));
    else for (const line of errorLines(error, name)) terminal.note(line);
    return exitCodeOf(error);
  }
}
