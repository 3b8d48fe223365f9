import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { parseCount } from './arguments.ts';
import { type Clients, withClients } from './clients.ts';
import { type ExitCode, exitCodes, type Terminal } from './output.ts';

/** What a command has to say. */
export interface Answer {
  /** For `--json`. */
  readonly json: unknown;
  /** For people. */
  readonly text: string;
  /** For standard error, with exit code `pending`: done, but gateways have not confirmed. */
  readonly pending?: string | undefined;
}

/** Hears how the command ended. */
type Finish = (code: ExitCode) => void;

/** What every command gets. */
export interface CommandContext {
  readonly terminal: Terminal;
  readonly finish: Finish;
}

/** Gives a command its work: asks the services, prints the answer as `--json` wants it. */
export function onRun<Options>(
  command: Command,
  { terminal, finish }: CommandContext,
  work: (options: Options, clients: Clients) => Promise<Answer>,
): Command {
  return command.action(async () => {
    // commander's types end here: each command declares its options once more as `Options`.
    const options = command.optsWithGlobals<Options & { json?: boolean }>();
    const answer = await withClients(terminal, (clients) => work(options, clients));
    terminal.out(options.json ? `${JSON.stringify(answer.json, null, 2)}\n` : answer.text);
    if (answer.pending === undefined) return;
    terminal.err(`${answer.pending}\n`);
    finish(exitCodes.pending);
  });
}

/** Who works here, for the audit log: the login at the operating system. */
export function operatorActor() {
  return { kind: 'operator', id: login(), clientIp: '' };
}

function login(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run a user without a name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Limits of one call of the administration, with an identifier of its own for the logs. */
export function callOptions() {
  return { deadlineMs: 10_000, requestId: `admin-${randomUUID()}` };
}

/** A command about one business, or about something of it. */
export function commandOfBusiness(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .requiredOption('--business <id>', 'identifier of the business', parseCount);
}
