import { beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { orderBody } from '../harness/business-platform.ts';
import { eraseCustomer, erasedCustomer } from '../harness/erasure.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { makeKey, restricted } from '../harness/made-key.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { openColleague, openOwner, reasonOf } from '../harness/team.ts';

/* Promise: once the erasure of a customer is confirmed, no order, event or delivery of the business names the person. */

const platform = running(sharedPlatform);

const order = z.looseObject({
  id: z.string(),
  number: z.int(),
  customer: z.object({ name: z.string(), email: z.string().nullable() }),
  metadata: z.record(z.string(), z.string()),
  updated_at: z.string(),
});

const event = z.looseObject({ id: z.string(), type: z.string(), sequence: z.int(), data: order });

const ada = { name: 'Ada Lovelace', email: 'ada@example.com' };
const bob = { name: 'Bob', email: 'bob@example.com' };

let key: string;
let businessId: number;
beforeEach(async () => {
  businessId = await platform.createVerifiedBusiness('shop');
  ({ keyString: key } = await platform.createKey({ businessId }));
});

const send = (method: string, path: string, body?: unknown, headers = {}) =>
  platform.request(0, method, path, { key, headers, ...(body !== undefined && { body }) });

async function make(customer: object, headers = {}): Promise<z.output<typeof order>> {
  const response = await send('POST', '/v2/order', { ...orderBody, customer }, headers);
  expect(response.status).toBe(201);
  return order.parse(response.json());
}

const change = async (id: string, patch: object) =>
  expect((await send('PATCH', `/v2/order/${id}`, patch)).status).toBe(200);

const read = async (id: string) => order.parse((await send('GET', `/v2/order/${id}`)).json());

/** The feed's orders, as the text of a page and as events. */
async function readFeed() {
  const { text } = await send('GET', '/v2/events?limit=100&types=order.created,order.updated,order.paid');
  return { text, events: z.object({ data: z.array(event) }).parse(JSON.parse(text)).data };
}

describe('the erasure of a customer', () => {
  test('replaces name, email and metadata in orders, whatever the case of the address, and keeps all else', async () => {
    const first = await make(ada);
    const second = await make({ ...ada, email: 'Ada@EXAMPLE.com' });
    await change(second.id, { status: 'paid' });
    const others = await Promise.all([make(bob), make({ name: 'Ada Lovelace' })]);
    const paid = await read(second.id);
    expect(await eraseCustomer(platform, key, 'ADA@example.com')).toMatchObject({ orders: 2, events: 3 });
    const change_ = { customer: erasedCustomer, metadata: {}, updated_at: expect.any(String) };
    expect(await read(first.id)).toEqual({ ...first, ...change_ });
    expect(await read(second.id)).toEqual({ ...paid, ...change_ });
    expect((await read(second.id)).updated_at > paid.updated_at).toBe(true);
    expect(await Promise.all(others.map(({ id }) => read(id)))).toEqual(others);
  });

  test('rewrites events in place, and appends one for each order', async () => {
    const { id } = await make(ada);
    await change(id, { status: 'paid' });
    const before = await readFeed();
    await eraseCustomer(platform, key, ada.email);
    const after = await readFeed();
    const person = `"customer":${JSON.stringify(ada)},"metadata":{"channel":"web"}`;
    const erased = `"customer":${JSON.stringify(erasedCustomer)},"metadata":{}`;
    const rewritten = before.text.replaceAll(person, erased);
    expect(rewritten).not.toContain('Ada');
    expect(after.text.slice(0, rewritten.indexOf('],"next_cursor"'))).toBe(
      rewritten.slice(0, rewritten.indexOf('],"next_cursor"')),
    );
    const [last] = before.events.slice(-1);
    const sequence = (last?.sequence ?? 0) + 1;
    expect(after.events.at(-1)).toMatchObject({ type: 'order.updated', sequence, data: await read(id) });
  });

  test('is repeated without effect, and orders that follow are like any other', async () => {
    await make(ada);
    expect(await eraseCustomer(platform, key, ada.email)).toMatchObject({ orders: 1, events: 1 });
    const { text } = await readFeed();
    const { response } = await eraseCustomer(platform, key, ada.email);
    expect(response.json()).toEqual({ orders: 0, events: 0 });
    expect((await readFeed()).text).toBe(text);
    const again = await make(ada);
    expect(await read(again.id)).toEqual(again);
    expect(await eraseCustomer(platform, key, ada.email)).toMatchObject({ orders: 1, events: 1 });
  });

  test('finds the person where an order has the address no longer, or has it only since', async () => {
    const without = await make({ name: ada.name });
    await change(without.id, { customer: { email: ada.email } });
    const removed = await make(ada);
    await change(removed.id, { customer: { email: null } });
    const handed = await make(ada);
    await change(handed.id, { customer: bob });
    expect(await eraseCustomer(platform, key, ada.email)).toMatchObject({ orders: 2, events: 5 });
    expect((await readFeed()).text).not.toContain('Ada');
    expect((await read(removed.id)).customer).toEqual(erasedCustomer);
    expect((await read(handed.id)).customer).toEqual(bob);
  });

  test('leaves the orders of other businesses with the same address', async () => {
    const other = await platform.createKey({ businessId: await platform.createVerifiedBusiness('cafe') });
    const body = { ...orderBody, customer: ada };
    const theirs = await platform.request(0, 'POST', '/v2/order', { key: other.keyString, body });
    const { id } = order.parse(theirs.json());
    await make(ada);
    await eraseCustomer(platform, key, ada.email);
    const kept = await platform.request(0, 'GET', `/v2/order/${id}`, { key: other.keyString });
    expect(kept.json()).toEqual(theirs.json());
  });

  test('lets a request with an Idempotency-Key be repeated, which returns the order without the person', async () => {
    const headers = { 'Idempotency-Key': 'order-1' };
    const made = await make(ada, headers);
    await eraseCustomer(platform, key, ada.email);
    const repeated = await make(ada, headers);
    expect(repeated).toEqual({ ...made, customer: erasedCustomer, metadata: {} });
    expect(
      z.object({ data: z.array(order) }).parse((await send('GET', '/v2/order')).json()).data,
    ).toHaveLength(1);
  });

  test('of an address that no order has changes nothing', async () => {
    const { response } = await eraseCustomer(platform, key, 'unknown@example.com');
    expect([response.status, response.json()]).toEqual([200, { orders: 0, events: 0 }]);
  });
});

describe('a request to erase a customer', () => {
  test.each([
    ['without an address', '', 'email: is required'],
    ['with an empty address', '?email=', 'email: is required'],
    ['with no address', '?email=ada', 'email: must be an email address'],
    ['with an unencoded plus', '?email=ada+x@example.com', 'email: must be an email address'],
    ['with two addresses', '?email=a@example.com&email=b@example.com', 'email: is given twice'],
    ['with an unknown parameter', '?email=a@example.com&dry=1', 'unknown field "dry"'],
  ])('%s is 400', async (_, search, error) => {
    const response = await send('DELETE', `/v2/customers${search}`);
    expect([response.status, response.json()]).toEqual([400, { error, status: 'Bad Request', code: 400 }]);
  });

  test('with another method is 405', async () => {
    const response = await send('GET', '/v2/customers?email=ada@example.com');
    expect([response.status, response.headers.allow]).toEqual([405, 'DELETE']);
  });

  test('without orders:write, or of a banned business, is 403', async () => {
    const reader = await platform.createKey({ businessId, type: 'restricted', scopes: ['orders:read'] });
    const path = '/v2/customers?email=ada@example.com';
    expect((await platform.request(0, 'DELETE', path, { key: reader.keyString })).status).toBe(403);
    await platform.businessRpc.BanBusiness({ businessId }, { deadlineMs: 30_000 });
    expect((await send('DELETE', path)).status).toBe(403);
  });

  test('leaves no address in the log of requests, where it is part of a path or an error', async () => {
    const address = 'grace+x@example.com';
    const encoded = encodeURIComponent(address);
    await send('DELETE', `/v2/customers?email=${encoded}`);
    await send('GET', `/v2/customers/${encoded}`);
    await send('GET', `/v2/order/${address}`);
    await send('POST', '/v2/order', { ...orderBody, [address]: 1 });
    const last = `/v2/${businessId}`;
    await send('GET', last);
    const rows = await expectEventually(() => loggedUntil(last), { withinMs: 5_000 });
    expect(rows.map(({ path }) => path)).toContain('/v2/order/[redacted]');
    expect(JSON.stringify(rows)).not.toContain('grace');
  });

  async function loggedUntil(path: string) {
    const logged = 'SELECT * FROM request_log WHERE business_id = $1';
    const rows = await platform.sql<Record<string, unknown>>(logged, [businessId]);
    expect(rows).toContainEqual(expect.objectContaining({ path }));
    return rows;
  }
});

describe('in the dashboard', () => {
  const erase = (by: Awaited<ReturnType<typeof openOwner>>, email: string) =>
    by.own('POST', '/customer-erasures', { email });

  test('an owner erases a customer, and the audit log says how much, and not of whom', async () => {
    const owner = await openOwner(platform);
    const { keyString } = await makeKey(owner, { ...restricted, scopes: ['orders:read', 'orders:write'] });
    key = keyString;
    const { id } = await make(ada);
    let response = await erase(owner, ada.email);
    while ((response.json() as { isComplete: boolean }).isComplete === false)
      response = await erase(owner, ada.email);
    expect((await read(id)).customer).toEqual(erasedCustomer);
    const { text } = await owner.own('GET', '/audit-events?action=business.customer_erased');
    expect(text).toContain('Erased a customer from 1 order');
    expect(text).not.toContain(ada.email);
  });

  test('a developer erases none, and no address is shown at its field', async () => {
    const owner = await openOwner(platform);
    const developer = await openColleague(platform, owner, 'developer');
    expect(reasonOf(await erase(developer, ada.email))).toEqual([403, 'not_owner']);
    expect((await erase(owner, 'ada')).json()).toMatchObject({
      fields: { email: 'must be an email address' },
    });
  });
});
