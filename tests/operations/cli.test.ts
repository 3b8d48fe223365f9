import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { orderBody } from '../harness/business-platform.ts';
import { startCli } from '../harness/cli.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { makeOrder } from '../harness/webhooks.ts';

/* packages/cli, as an integrator runs it. */

const platform = running(sharedPlatform);
let key: string;
let home: string;
beforeAll(async () => {
  ({ keyString: key } = await platform.createKey());
});
beforeEach(() => {
  home = runDirectory().newDirectory('cli-home');
});

const atPlatform = () => ({ BUSINESS_API_URL: platform.publicUrl, HOME: home });
const withKey = (credential = key) => ({ ...atPlatform(), BUSINESS_API_KEY: credential });

/** Runs a command to its end. Whatever it does, it never prints the key. */
async function cli(args: readonly string[], env: Readonly<Record<string, string>> = withKey(), input = '') {
  const ended = await startCli(args, { env, input }).ended;
  expect(ended.out + ended.err).not.toContain(key);
  return ended;
}

const objectsIn = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('login', () => {
  const file = (profile = 'default') => join(home, '.config/business-api', `${profile}.json`);

  test('stores the key for the commands after it, readable by its owner alone, until logout', async () => {
    const { code, out } = await cli(['login', '--key', '-'], atPlatform(), `${key}\n`);
    expect([code, out]).toEqual([
      0,
      expect.stringContaining(`Logged in at ${platform.publicUrl} with a key of `),
    ]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(home, '.config/business-api'))).toEqual(['default.json']);

    expect((await cli(['orders', 'list'], { HOME: home })).code).toBe(0);
    expect((await cli(['orders', 'list', '--profile', 'other'], { HOME: home })).code).toBe(3);
    expect((await cli(['logout'], { HOME: home })).out).toContain('still works until you delete it');
    expect((await cli(['orders', 'list'], { HOME: home })).code).toBe(3);
  });

  test('keeps a key per profile, in XDG_CONFIG_HOME where it is set', async () => {
    const env = { ...atPlatform(), XDG_CONFIG_HOME: join(home, 'settings') };
    await cli(['login', '--key', '-', '--profile', 'shop'], env, key);
    const stored = JSON.parse(readFileSync(join(home, 'settings/business-api/shop.json'), 'utf8'));
    expect(stored).toEqual({ url: platform.publicUrl, key });
    expect((await cli(['events', 'list', '--profile', 'shop'], env)).code).toBe(0);
  });

  test('does not store a key that the platform refuses', async () => {
    const { code, err } = await cli(['login', '--key', '-'], atPlatform(), `sk_${'x'.repeat(45)}`);
    expect([code, err]).toEqual([3, expect.stringContaining('401 invalid_api_key')]);
    expect(() => statSync(file())).toThrow('ENOENT');
  });

  test('does not send a stored key to another platform', async () => {
    await cli(['login', '--key', '-'], atPlatform(), key);
    const { code, err } = await cli(['orders', 'list', '--url', 'http://127.0.0.1:1'], { HOME: home });
    expect([code, err]).toEqual([3, expect.stringContaining(`is logged in at ${platform.publicUrl}`)]);
  });

  test.each<[string, readonly string[], string]>([
    ['a key among the arguments', ['--key', 'sk_1'], '--key must be -'],
    ['what is no key', ['--key', '-'], 'Standard input is no API key'],
    ['no terminal', [], 'Standard input is not a terminal'],
    ['a profile that is a path', ['--key', '-', '--profile', '../x'], '--profile must have letters'],
    [
      'a platform without encryption',
      ['--key', '-', '--url', 'http://api.example'],
      'must begin with https://',
    ],
  ])('refuses %s', async (_, args, text) => {
    const { code, err } = await cli(['login', ...args], atPlatform(), 'no key');
    expect([code, err]).toEqual([2, expect.stringContaining(text)]);
  });
});

describe('orders', () => {
  test('are created, changed, read and listed', async () => {
    const body = JSON.stringify({ ...orderBody, metadata: { channel: 'cli' } });
    const [created] = objectsIn(
      (await cli(['orders', 'create', '--data', '-', '--json'], withKey(), body)).out,
    );
    expect(created).toMatchObject({ status: 'pending', metadata: { channel: 'cli' } });
    const { id } = created;

    const paid = await cli(['orders', 'update', id, '--data', '{"status":"paid"}']);
    expect(paid.out).toMatch(/^status +paid$/m);
    const [read] = objectsIn((await cli(['orders', 'get', id, '--json'])).out);
    expect(read).toMatchObject({ id, status: 'paid' });
    const { out } = await cli(['orders', 'list', '--status', 'paid', '--limit', '1']);
    expect(out).toMatch(new RegExp(`^ID .*\n${id} .* paid .*\n$`));
    expect(out).not.toContain('\u001b');
  });

  test('are created once for one idempotency key', async () => {
    const args = [
      'orders',
      'create',
      '--json',
      '--data',
      JSON.stringify(orderBody),
      '--idempotency-key',
      'cli-1',
    ];
    const [[first], [second]] = [objectsIn((await cli(args)).out), objectsIn((await cli(args)).out)];
    expect(second.id).toBe(first.id);
  });

  test('are read over pages up to the limit', async () => {
    const businessId = await platform.createVerifiedBusiness('many');
    const { keyString } = await platform.createKey({ businessId });
    for (let count = 0; count < 103; count++) await makeOrder(platform, keyString);
    const { out } = await cli(['orders', 'list', '--json', '--limit', '102'], withKey(keyString));
    expect(new Set(objectsIn(out).map(({ id }) => id)).size).toBe(102);
    const { out: events } = await cli(['events', 'list', '--json', '--limit', '102'], withKey(keyString));
    expect(objectsIn(events).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 102 }, (_, i) => i + 1),
    );
  });
});

describe('events', () => {
  test('are listed from the cursor that the last list printed', async () => {
    const first = await cli(['events', 'list', '--limit', '1']);
    const [, cursor = ''] = /--after (\S+)/.exec(first.err) ?? [];
    const [next] = objectsIn(
      (await cli(['events', 'list', '--limit', '1', '--json', '--after', cursor])).out,
    );
    expect(first.out).toMatch(/ {2}1 +evt_\w+\n$/);
    expect(next.sequence).toBe(2);
  });

  test('are printed as they happen, of the chosen types, until Ctrl-C', async () => {
    const tail = startCli(['tail', '--json', '--types', 'order.created'], { env: withKey() });
    let id = '';
    await expectEventually(
      async () => {
        id = await makeOrder(platform, key);
        if (tail.out() === '') throw new Error('nothing was printed');
      },
      { withinMs: 20_000, everyMs: 300 },
    );
    await platform.request(0, 'PATCH', `/v2/order/${id}`, { key, body: { status: 'paid' } });
    id = await makeOrder(platform, key);
    await expectEventually(() => expect(tail.out()).toContain(id), { withinMs: 5_000 });
    const events = objectsIn(tail.out());
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['order.created']));
    expect(events.at(-1)).toMatchObject({ data: { id } });
    tail.child.kill('SIGINT');
    expect(await tail.ended).toMatchObject({ code: 0, err: '' });
  });

  test('begin with those of the last 30 days where that is asked for, and end with their reader', async () => {
    const tail = startCli(['tail', '--from-start'], { env: withKey() });
    await expectEventually(() => expect(tail.out()).toMatch(/^\S+Z {2}business\.created {2}#1 {2}\d+\n/), {
      withinMs: 20_000,
    });
    // As `head -1` does.
    tail.child.stdout?.destroy();
    await makeOrder(platform, key);
    expect((await tail.ended).code).toBe(0);
  });
});

describe('trigger', () => {
  let sandboxKey: string;
  beforeAll(async () => {
    const businessId = await platform.createVerifiedBusiness('trial');
    await platform.sql('INSERT INTO sandboxes (business_id, person_id) VALUES ($1, $2)', [
      businessId,
      'per_trial',
    ]);
    ({ keyString: sandboxKey } = await platform.createKey({ businessId }));
  });

  test.each(['order.created', 'order.updated', 'order.paid', 'order.fulfilled', 'order.cancelled'])(
    'makes %s happen in a sandbox',
    async (type) => {
      const [{ order }] = objectsIn((await cli(['trigger', type, '--json'], withKey(sandboxKey))).out);
      const { out } = await cli(['events', 'list', '--types', type, '--json'], withKey(sandboxKey));
      expect(objectsIn(out).at(-1)).toMatchObject({ type, data: { id: order } });
    },
  );

  test('writes nothing to a business that is no sandbox, except with --real', async () => {
    const businessId = await platform.createVerifiedBusiness('serious');
    const { keyString } = await platform.createKey({ businessId });
    const { code, err } = await cli(['trigger', 'order.paid'], withKey(keyString));
    expect([code, err]).toEqual([1, expect.stringContaining('is no sandbox, and nothing was written')]);
    const orders = async () => objectsIn((await cli(['orders', 'list', '--json'], withKey(keyString))).out);
    expect(await orders()).toEqual([]);
    const { out } = await cli(['trigger', 'order.created', '--real'], withKey(keyString));
    expect(out).toContain((await orders())[0].id);
  });

  test('says which events it can make', async () => {
    const { code, err } = await cli(['trigger', 'order.lost'], withKey(sandboxKey));
    expect([code, err]).toEqual([2, expect.stringContaining('order.created, order.updated, order.paid')]);
  });
});

describe('explain', () => {
  test('prints the section of a code, without a key', async () => {
    const { code, out } = await cli(['explain', 'conflict'], atPlatform());
    expect(code).toBe(0);
    expect(out).toMatch(/^Conflict\n.*\nCause\. .*\nWhat to do\. .*\/docs\/errors#conflict\n$/s);
  });

  test('lists the errors of a status', async () => {
    const { out } = await cli(['explain', '403'], atPlatform());
    expect(out).toMatch(/^insufficient_scope +Insufficient scope$/m);
    expect(out).toMatch(/^ip_not_allowed +Address not allowed$/m);
  });

  test('leads to the page of a request', async () => {
    const { err } = await cli(['orders', 'get', 'ord_0']);
    const [, id = ''] = /^request: (\S+)$/m.exec(err) ?? [];
    const { out } = await cli(['explain', id], atPlatform());
    expect(out).toContain(`${platform.publicUrl}/dashboard/settings/developers/requests/${id}`);
  });

  test.each<[string, string, string, number]>([
    ['an error that there is not', 'no_such_error', '', 1],
    ['what is no error', '../index', '', 2],
    ['no connection', '403', 'http://127.0.0.1:1', 4],
  ])('ends with a code of its own for %s', async (_, wanted, url, code) => {
    expect((await cli(['explain', wanted, '--url', url || platform.publicUrl], { HOME: home })).code).toBe(
      code,
    );
  });
});

describe('errors', () => {
  test('name the help and the request', async () => {
    const { code, err, out } = await cli(['orders', 'get', 'ord_0']);
    expect([code, out]).toEqual([1, '']);
    const help = `${platform.publicUrl}/docs/errors#not_found`;
    expect(err).toMatch(/^error: 404 not_found: /);
    expect(err).toMatch(new RegExp(`\nhelp: ${help}\nrequest: [0-9a-f-]{36}\n`));
    const [object] = objectsIn((await cli(['orders', 'get', 'ord_0', '--json'])).err);
    expect(object.error).toMatchObject({ status: 404, code: 'not_found', exit_code: 1, help });
  });

  test.each([
    [['orders', 'get'], "missing required argument 'id'"],
    [['orders', 'create', '--data', '{'], '--data is no JSON.'],
  ])('of usage are an object for programs, too: %j', async (args, message) => {
    const [{ error }, ...others] = objectsIn((await cli([...args, '--json'])).err);
    expect([error, others]).toEqual([{ message, exit_code: 2 }, []]);
  });

  test.each<[string, readonly string[], number]>([
    ['an unknown command', ['order'], 2],
    ['an unknown option', ['orders', 'list', '--all'], 2],
    ['a limit of nothing', ['orders', 'list', '--limit', '0'], 2],
    ['data that is no JSON', ['orders', 'create', '--data', '{'], 2],
    ['a platform that is not there', ['orders', 'list', '--url', 'http://127.0.0.1:1'], 4],
    ['the help', ['--help'], 0],
  ])('have a code of their own: %s', async (_, args, code) => {
    const { code: actual, err } = await cli(args);
    expect(actual).toBe(code);
    expect(err).not.toContain('    at ');
  });
});
