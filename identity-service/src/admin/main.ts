// npm run admin -- …: the platform's administration until there is a dashboard.

import { toAppError } from '@platform/service-kit/app-error.ts';
import { Command, CommanderError } from 'commander';
import { applicationCommands } from './applications.ts';
import { UsageError } from './arguments.ts';
import { businessCommands } from './businesses.ts';
import { grantCommands } from './grants.ts';
import { keyCommands } from './keys.ts';
import { type ExitCode, exitCodes, type Terminal } from './output.ts';

const overview = `
Examples:
  $ npm run admin -- business create --account-holder "Acme Ltd" --username acme
  $ npm run admin -- key create --business 7 --name Backend --type secret
  $ npm run --silent admin -- key list --business 7 --json | jq

Speaks to the platform that npm start runs, or to IDENTITY_GRPC_TARGET and BUSINESS_GRPC_TARGET (then over mutual TLS,
with GRPC_TLS_CA, GRPC_TLS_CERT and GRPC_TLS_KEY).

Exit codes: 0 done; 1 refused or not reachable; 2 wrong usage; 3 done, gateways confirm within 30 s.
`;

/** Runs one command line. Resolves to the code for the shell; what there is to say has been printed by then. */
async function runAdmin(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const finish = (ended: ExitCode) => {
    code = ended;
  };
  const program = new Command('admin')
    .description('Businesses, their API keys and applications, for operators.')
    .option('--json', 'print JSON instead of tables')
    .addHelpText('after', overview);
  for (const group of [businessCommands, keyCommands, applicationCommands, grantCommands]) {
    program.addCommand(group({ terminal, finish }));
  }
  prepare(program, terminal);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, terminal);
  }
}

/** Gives a command and all below it the terminal, instead of the process that commander would take. */
function prepare(command: Command, terminal: Terminal): void {
  command
    .exitOverride()
    .showHelpAfterError('(--help says more)')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.err });
  for (const each of command.commands) prepare(each, terminal);
}

function explain(error: unknown, terminal: Terminal): ExitCode {
  // commander has printed its own errors, and its help, already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  terminal.err(`error: ${sentence(error)}\n`);
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}

function sentence(error: unknown): string {
  const { kind, reason, message, cause } = toAppError(error);
  if (kind === 'internal' && cause instanceof Error) return cause.message;
  return reason.startsWith('grpc_') ? `${message} (${reason}): is it running?` : message;
}

process.exitCode = await runAdmin(process.argv.slice(2), {
  env: process.env,
  now: Date.now,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
