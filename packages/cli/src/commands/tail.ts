import { type BusinessEvent, type EventType, Follower } from '@business-api/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { NewEvents } from '../feed/new-events.ts';
import { troubleLine } from '../feed/trouble.ts';
import { toJson } from '../output.ts';
import { credentialsOf, openClient } from '../session.ts';
import { clean } from '../table.ts';
import { typesOption } from './events.ts';

interface TailOptions extends GlobalOptions {
  readonly types?: EventType[];
  readonly fromStart?: true;
}

/** Adds `tail`. */
export function addTail(program: Command, context: Context): void {
  program
    .command('tail')
    .description('print each new event on a line, until Ctrl-C')
    .addOption(typesOption())
    .option('--from-start', 'begin with the first event that is kept')
    .action((_: object, command: Command) => tail(context, command.optsWithGlobals<TailOptions>()));
}

async function tail(context: Context, options: TailOptions): Promise<void> {
  const { terminal, signal } = context;
  const { types, fromStart = false, json } = options;
  const { url } = credentialsOf(context, options);
  // The follower tries again by itself, and says so.
  const client = openClient(context, options, { retries: 0 });
  const take = async (event: BusinessEvent) => terminal.out(json ? toJson(event) : eventLine(event));
  const store = new NewEvents({ take, note: terminal.note });
  const follower = new Follower(client, store, {
    isFromNow: !fromStart,
    onTrouble: (error, pauseMs) => terminal.note(troubleLine(url, error, pauseMs)),
    signal,
    ...(types && { types }),
  });
  try {
    await follower.follow();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** An event on one line: time, type, sequence and the resource. */
export function eventLine({ timestamp, type, sequence, data }: BusinessEvent): string {
  return clean(`${timestamp}  ${type.padEnd(15)}  #${sequence}  ${data.id}`);
}
