import type { Data, NewOrder, Order, OrderChange } from '@business-api/client';
import { type Command, Option } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { readCount, readData } from '../input.ts';
import { printRecord, printRecords } from '../output.ts';
import { openClient } from '../session.ts';
import type { Columns } from '../table.ts';

const columns: Columns<Order> = {
  id: ({ id }) => id,
  number: ({ number }) => number,
  status: ({ status }) => status,
  total: (order) => amountOf(order),
  customer: ({ customer }) => customer.name,
  created: ({ created_at }) => created_at,
};

const fields: Columns<Order> = {
  ...columns,
  email: ({ customer }) => customer.email,
  items: ({ line_items }) => line_items.map(({ name, quantity }) => `${quantity} × ${name}`).join(', '),
  metadata: ({ metadata }) => JSON.stringify(metadata),
  updated: ({ updated_at }) => updated_at,
};

/** A total in the unit that people pay in: `9.00 EUR`. */
export function amountOf({ total, currency }: Pick<Order, 'total' | 'currency'>): string {
  const digits =
    new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 0;
  return `${(total / 10 ** digits).toFixed(digits)} ${currency}`;
}

interface Filters {
  readonly status?: Order['status'];
  readonly createdFrom?: string;
  readonly createdTo?: string;
  readonly updatedFrom?: string;
  readonly limit: number;
}

/** Adds `orders` and what belongs to it. */
export function addOrders(program: Command, context: Context): void {
  const orders = program.command('orders').description('read and change orders');
  addList(orders, context);
  orders
    .command('get <id>')
    .description('print one order')
    .action(async (id: string, _: object, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const given = { path: { id }, signal: context.signal };
      const { data } = await openClient(context, options).request('GET /v2/order/{id}', given);
      printRecord(context, options, data, fields);
    });
  addCreate(orders, context);
  addUpdate(orders, context);
}

function addList(orders: Command, context: Context): void {
  orders
    .command('list')
    .description('list orders, newest first; with --updated-from by their last change, oldest first')
    .option('--status <status>', 'pending, paid, fulfilled or cancelled')
    .option('--created-from <time>', 'created at or after this time (RFC 3339)')
    .option('--created-to <time>', 'created before this time')
    .option('--updated-from <time>', 'created or changed at or after this time')
    .addOption(new Option('--limit <number>', 'print at most this many').default(20).argParser(readCount))
    .action(async (_: object, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & Filters>();
      const { limit, status, createdFrom, createdTo, updatedFrom } = options;
      const query = {
        limit: Math.min(limit, 100),
        ...(status && { status }),
        ...(createdFrom && { created_from: createdFrom }),
        ...(createdTo && { created_to: createdTo }),
        ...(updatedFrom && { updated_from: updatedFrom }),
      };
      const client = openClient(context, options);
      const rows: Order[] = [];
      for await (const order of client.each('GET /v2/order', { query, signal: context.signal })) {
        rows.push(order);
        if (rows.length === limit) break;
      }
      printRecords(context, options, rows, columns);
    });
}

const dataOption = [
  '--data <json>',
  'the body as JSON; @file reads it from a file, - from standard input',
] as const;

function addCreate(orders: Command, context: Context): void {
  orders
    .command('create')
    .description('create an order')
    .requiredOption(...dataOption)
    .option('--idempotency-key <key>', 'a repeat with the same key within 24 hours creates no second order')
    .action(async (_: object, command: Command) => {
      const options = command.optsWithGlobals<
        GlobalOptions & { readonly data: string; readonly idempotencyKey?: string }
      >();
      const { data: source, idempotencyKey } = options;
      const client = openClient(context, options);
      const body = (await readData(context, source)) as NewOrder;
      const headers = idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
      const { signal } = context;
      const { data } = await client.request('POST /v2/order', { body, headers, signal });
      printRecord<Data<'POST /v2/order'>>(context, options, data, fields);
    });
}

function addUpdate(orders: Command, context: Context): void {
  orders
    .command('update <id>')
    .description('change an order')
    .requiredOption(...dataOption)
    .option('--if-match <etag>', 'only where the order still is this version')
    .action(async (id: string, _: object, command: Command) => {
      const options = command.optsWithGlobals<
        GlobalOptions & { readonly data: string; readonly ifMatch?: string }
      >();
      const { data: source, ifMatch } = options;
      const client = openClient(context, options);
      const body = (await readData(context, source)) as OrderChange;
      const headers = ifMatch === undefined ? {} : { 'If-Match': ifMatch };
      const given = { path: { id }, body, headers, signal: context.signal };
      const { data } = await client.request('PATCH /v2/order/{id}', given);
      printRecord(context, options, data, fields);
    });
}
