import type { Client, OrderChange } from '@business-api/client';
import { type Command, Option } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { RefusalError, UsageError } from '../errors.ts';
import { toJson } from '../output.ts';
import { openClient } from '../session.ts';
import { clean } from '../table.ts';

/** Changes of a new order, the last of which causes the event. */
const changes: Readonly<Record<string, readonly OrderChange[]>> = {
  'order.created': [],
  'order.updated': [{ metadata: { updated: 'true' } }],
  'order.paid': [{ status: 'paid' }],
  'order.fulfilled': [{ status: 'paid' }, { status: 'fulfilled' }],
  'order.cancelled': [{ status: 'cancelled' }],
};

const order = {
  currency: 'EUR',
  line_items: [{ name: 'Tea', sku: 'T-1', quantity: 2, unit_amount: 450 }],
  customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  metadata: { triggered: 'true' },
};

interface TriggerOptions extends GlobalOptions {
  readonly real?: true;
}

/** Types of events that can be caused. */
export const triggeredTypes = Object.keys(changes);

/** Adds `trigger`. */
export function addTrigger(program: Command, context: Context): void {
  program
    .command('trigger <type>')
    .description(`make an event happen in a sandbox, with a new order: ${triggeredTypes.join(', ')}`)
    .addOption(new Option('--real', 'also in a business that is no sandbox'))
    .action((type: string, _: object, command: Command) =>
      trigger(context, type, command.optsWithGlobals<TriggerOptions>()),
    );
}

async function trigger(context: Context, type: string, options: TriggerOptions): Promise<void> {
  const { terminal, signal } = context;
  const steps = Object.hasOwn(changes, type) ? changes[type] : undefined;
  if (steps === undefined) {
    throw new UsageError(`${clean(type)} cannot be made to happen. These can: ${triggeredTypes.join(', ')}.`);
  }
  const client = openClient(context, options);
  if (!options.real) await requireSandbox(client, signal);
  const { data: created } = await client.request('POST /v2/order', { body: order, signal });
  const path = { id: created.id };
  for (const body of steps) await client.request('PATCH /v2/order/{id}', { path, body, signal });
  terminal.out(options.json ? toJson({ type, order: created.id }) : `${type} happened to ${created.id}`);
}

/** Looks before anything is written. @throws RefusalError for a business that is no sandbox */
async function requireSandbox(client: Client, signal: AbortSignal): Promise<void> {
  const { data, headers } = await client.request('GET /v2/businesses/me', { signal });
  if (headers.get('x-sandbox') === 'true') return;
  throw new RefusalError(
    `${clean(data.account_holder)} is no sandbox, and nothing was written. Use a key of a sandbox, or --real.`,
  );
}
