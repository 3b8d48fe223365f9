import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { Command } from 'commander';
import type { Acts } from '../acts.ts';
import type { Actor } from '../platform/actor.ts';
import { parseCount } from './arguments.ts';
import { type ExitCode, exitCodes, type Terminal } from './output.ts';
import { withActs } from './process.ts';

/** Result of a command. */
export interface CommandResult {
  /** For `--json`. */
  readonly json: unknown;
  /** For people. */
  readonly text: string;
  /** For standard error, with exit code `pending`: done, but gateways have not confirmed. */
  readonly pending?: string | undefined;
}

/** Context of every command. */
export interface CommandContext {
  readonly terminal: Terminal;
  /** Sets the exit code; `done` without a call. */
  readonly finish: (code: ExitCode) => void;
}

/** Sets the action of a command: acts and prints the result, as JSON with `--json`. */
export function onRun<Options>(
  command: Command,
  { terminal, finish }: CommandContext,
  work: (options: Options, acts: Acts) => Promise<CommandResult>,
): Command {
  return command.action(async () => {
    // commander does not infer option types: each command declares them as `Options`.
    const options = command.optsWithGlobals<Options & { json?: boolean }>();
    const result = await withActs(terminal, (acts) => work(options, acts));
    terminal.out(options.json ? `${JSON.stringify(result.json, null, 2)}\n` : result.text);
    if (result.pending === undefined) return;
    terminal.err(`${result.pending}\n`);
    finish(exitCodes.pending);
  });
}

/** Actor of audit events: the operating system's user. */
export function operatorActor(): Actor {
  return { kind: 'operator', id: login(), clientIp: undefined, requestId: newRequestId() };
}

/** Identifies one act in the logs of the services that it calls. */
export function newRequestId(): string {
  return `admin-${randomUUID()}`;
}

function login(): string {
  try {
    return userInfo().username;
  } catch {
    // Containers may run as a user without a name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Usage example for the end of a command's help. @param line the command line after `npm run admin --` */
export function example(line: string): string {
  return `\nExample:\n  $ npm run admin -- ${line}\n`;
}

/** Adds a command that requires `--business`. */
export function addBusinessCommand(group: Command, name: string, description: string): Command {
  return group
    .command(name)
    .description(description)
    .requiredOption('--business <id>', 'identifier of the business', parseCount);
}
