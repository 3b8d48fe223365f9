import '@platform/service-kit/process/no-proxy.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import { Command, CommanderError } from 'commander';
import { UsageError } from './arguments.ts';
import type { CommandContext } from './command.ts';
import { doctorCommand } from './doctor.ts';
import { type ExitCode, exitCodes, type Terminal } from './output.ts';

const overview = `
Examples:
  $ npm run admin -- business create --account-holder "Acme Ltd" --username acme
  $ npm run admin -- key create --business 7 --name Backend --type secret
  $ npm run --silent admin -- key list --business 7 --json | jq

Acts on the database and Redis of identity-service, with its variables: run it in the container of identity-service, or beside
npm start.

Exit codes: 0 done; 1 refused or unavailable; 2 invalid usage; 3 done, gateways confirm within 30 s. Any other, as 137 where the
container ended, does not say whether it was done: look (list, get, audit list), and repeat it when it was not.
`;

/** Groups of commands, each of which loads the operations that it needs. */
const groups: Readonly<Record<string, () => Promise<(context: CommandContext) => Command>>> = {
  business: async () => (await import('./businesses.ts')).businessCommands,
  key: async () => (await import('./keys.ts')).keyCommands,
  application: async () => (await import('./applications.ts')).applicationCommands,
  grant: async () => (await import('./grants.ts')).grantCommands,
  request: async () => (await import('./limit-requests.ts')).limitRequestCommands,
  webhooks: async () => (await import('./webhooks.ts')).webhookCommands,
  audit: async () => (await import('./account.ts')).auditCommands,
  operator: async () => (await import('./operators.ts')).operatorCommands,
  person: async () => (await import('./people.ts')).personCommands,
  explain: async () => (await import('./explain.ts')).explainCommand,
  doctor: async () => doctorCommand,
};

/** The group that the command line names; all groups otherwise, such as for the help. */
function loadGroups(args: readonly string[]) {
  const named = groups[args.find((arg) => !arg.startsWith('-')) ?? ''];
  return Promise.all((named === undefined ? Object.values(groups) : [named]).map((load) => load()));
}

/** Runs one command line and prints its result. Resolves to the exit code. */
export async function runAdmin(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const finish = (exitCode: ExitCode) => {
    code = exitCode;
  };
  const program = new Command('admin')
    .description('Businesses, their API keys, applications and webhooks, and people, for operators.')
    .option('--json', 'print JSON instead of tables')
    .addHelpText('after', overview);
  for (const group of await loadGroups(args)) program.addCommand(group({ terminal, finish }));
  configure(program, terminal);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return printError(error, terminal);
  }
}

/** Makes a command and its subcommands use `terminal` instead of the process. */
function configure(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  for (const subcommand of command.commands) configure(subcommand, terminal);
}

function printError(error: unknown, terminal: Terminal): ExitCode {
  // commander has already printed its own errors and help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  terminal.err(`error: ${messageOf(error)}\n`);
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}

function messageOf(error: unknown): string {
  const { kind, reason, message, cause } = toAppError(error);
  if (kind === 'internal' && cause instanceof Error) return cause.message;
  const isAbsent = reason.startsWith('grpc_') || reason === 'database_unavailable';
  return isAbsent ? `${message} (${reason}): is it running?` : message;
}
