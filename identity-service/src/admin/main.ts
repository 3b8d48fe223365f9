// npm run admin -- …: the operators' command line.

import { toAppError } from '@platform/service-kit/app-error.ts';
import '@platform/service-kit/no-proxy.ts';
import { Command, CommanderError } from 'commander';
import { auditCommands } from './account.ts';
import { applicationCommands } from './applications.ts';
import { UsageError } from './arguments.ts';
import { businessCommands } from './businesses.ts';
import { doctorCommand } from './doctor.ts';
import { grantCommands } from './grants.ts';
import { keyCommands } from './keys.ts';
import { limitRequestCommands } from './limit-requests.ts';
import { operatorCommands } from './operators.ts';
import { type ExitCode, exitCodes, type Terminal } from './output.ts';
import { personCommands } from './people.ts';
import { webhookCommands } from './webhooks.ts';

const overview = `
Examples:
  $ npm run admin -- business create --account-holder "Acme Ltd" --username acme
  $ npm run admin -- key create --business 7 --name Backend --type secret
  $ npm run --silent admin -- key list --business 7 --json | jq

Connects to the platform that npm start runs, or to IDENTITY_GRPC_TARGET, BUSINESS_GRPC_TARGET and, for webhooks,
WEBHOOK_GRPC_TARGET (over mutual TLS, with GRPC_TLS_CA, GRPC_TLS_CERT and GRPC_TLS_KEY).

Exit codes: 0 done; 1 refused or unavailable; 2 invalid usage; 3 done, gateways confirm within 30 s. Any other, as 137 where the
container ended, does not say whether it was done: look (list, get, audit list), and repeat it when it was not.
`;

/** Runs one command line and prints its result. Resolves to the exit code. */
async function runAdmin(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const finish = (exitCode: ExitCode) => {
    code = exitCode;
  };
  const program = new Command('admin')
    .description('Businesses, their API keys, applications and webhooks, and people, for operators.')
    .option('--json', 'print JSON instead of tables')
    .addHelpText('after', overview);
  const groups = [
    businessCommands,
    keyCommands,
    applicationCommands,
    grantCommands,
    limitRequestCommands,
    webhookCommands,
    auditCommands,
    operatorCommands,
    personCommands,
  ];
  for (const group of groups) {
    program.addCommand(group({ terminal, finish }));
  }
  program.addCommand(doctorCommand({ terminal, finish }));
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
  return reason.startsWith('grpc_') ? `${message} (${reason}): is it running?` : message;
}

/** `npm run admin -- … | head -1`: a reader that has read enough is no failure of the command. */
function allowClosedPipe(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

allowClosedPipe(process.stdout);
allowClosedPipe(process.stderr);
process.exitCode = await runAdmin(process.argv.slice(2), {
  env: process.env,
  now: Date.now,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
