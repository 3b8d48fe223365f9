import type { BusinessEvent, EventType } from '@business-api/client';
import { type Command, Option } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { readCount, readTypes } from '../input.ts';
import { printRecords } from '../output.ts';
import { openClient } from '../session.ts';
import type { Columns } from '../table.ts';

const columns: Columns<BusinessEvent> = {
  time: ({ timestamp }) => timestamp,
  type: ({ type }) => type,
  of: ({ data }) => String(data.id),
  sequence: ({ sequence }) => sequence,
  id: ({ id }) => id,
};

interface ListOptions extends GlobalOptions {
  readonly types?: EventType[];
  readonly after?: string;
  readonly limit: number;
}

/** The option of every command that reads events. */
export const typesOption = () =>
  new Option('--types <types>', 'only these types, such as order.created,order.paid').argParser(readTypes);

/** Adds `events list`. */
export function addEvents(program: Command, context: Context): void {
  program
    .command('events')
    .description('read events')
    .command('list')
    .description('list the events that are kept, oldest first')
    .addOption(typesOption())
    .option('--after <cursor>', 'continue after this cursor, which the last list printed')
    .addOption(new Option('--limit <number>', 'print at most this many').default(20).argParser(readCount))
    .action(async (_: object, command: Command) => {
      const options = command.optsWithGlobals<ListOptions>();
      const { events, cursor } = await readEvents(context, options);
      printRecords(context, options, events, columns);
      context.terminal.note(`To go on: --after ${cursor}`);
    });
}

async function readEvents(context: Context, options: ListOptions) {
  const { limit, types, after } = options;
  const client = openClient(context, options);
  const events: BusinessEvent[] = [];
  let cursor = after;
  do {
    const query = {
      limit: Math.min(limit - events.length, 100),
      ...(types && { types }),
      ...(cursor !== undefined && { after: cursor }),
    };
    const { data: page } = await client.request('GET /v2/events', { query, signal: context.signal });
    events.push(...page.data);
    cursor = page.next_cursor;
    if (page.data.length === 0) break;
  } while (events.length < limit);
  return { events, cursor };
}
