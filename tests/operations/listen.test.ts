import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { compileCache } from '../harness/compile-cache.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { startWebhookReceiver, verified, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { makeOrder, ordersOf } from '../harness/webhooks.ts';

/* npm run listen: new events of a business at a receiver of a developer. */

const program = fileURLToPath(new URL('../../examples/listen/main.ts', import.meta.url));

const platform = running(sharedPlatform);
let receiver: WebhookReceiver;
let key: string;
let listening: ChildProcess | undefined;
beforeAll(async () => {
  ({ keyString: key } = await platform.createKey());
  await makeOrder(platform, key);
});
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(async () => {
  listening?.kill('SIGKILL');
  listening = undefined;
  await receiver.close();
});

/** Runs the program until it ends. */
function run(...args: string[]) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
    env: { ...compileCache },
  });
  listening = child;
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code, err }));
  return { child, ended, out: () => out };
}

/** Starts the program, and makes orders until one arrives: the program passes over what is there when it starts. */
async function listen(...args: string[]) {
  const origin = `http://127.0.0.1:${platform.gatewayPorts[1]}`;
  const listener = run('--key', key, '--forward-to', receiver.url, '--url', origin, ...args);
  await expectEventually(
    async () => {
      await makeOrder(platform, key);
      if (receiver.received.length === 0) throw new Error(`nothing arrived: ${listener.out()}`);
    },
    { withinMs: 20_000, everyMs: 300 },
  );
  return listener;
}

describe('npm run listen', () => {
  test('forwards new events in order, signed with the secret that it prints, and repeats', async () => {
    const { out, child, ended } = await listen('--types', 'order.created');
    const secret = /^Secret of your receiver: (whsec_\S+)$/m.exec(out())?.[1] ?? '';
    const [first] = receiver.received;
    expect(first && verified(secret, first)).toMatchObject({ id: first?.id, type: 'order.created' });
    expect(first?.event.sequence).toBeGreaterThan(4);

    const seen = new Set(receiver.received.map((webhook) => webhook.id));
    receiver.respond((webhook) => (seen.size < seen.add(webhook.id).size ? 500 : 204));
    const id = await makeOrder(platform, key);
    await expectEventually(() => expect(ordersOf(receiver).filter((order) => order === id)).toHaveLength(2), {
      withinMs: 10_000,
    });
    const [failed, repeated] = receiver.received.filter(({ event }) => Object(event.data).id === id);
    expect([repeated?.id, repeated?.body]).toEqual([failed?.id, failed?.body]);
    expect(out()).toMatch(new RegExp(`order.created {2}${failed?.id} .* 500 .*again in 1 s`));

    child.stdin.write('r\n');
    await expectEventually(() => expect(ordersOf(receiver).filter((order) => order === id)).toHaveLength(3), {
      withinMs: 5_000,
    });
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 0, err: '' });
  });

  test('loses no event while the platform is down', async () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const { out } = await listen('--secret', secret);
    const [, gateway] = platform.gateways;
    await gateway?.kill();
    const id = await makeOrder(platform, key);
    await expectEventually(() => expect(out()).toContain('cannot be reached. Next try in 1 s.'), {
      withinMs: 10_000,
    });
    await gateway?.start();
    await expectEventually(() => expect(ordersOf(receiver)).toContain(id), { withinMs: 20_000 });
    const webhook = receiver.received.find(({ event }) => Object(event.data).id === id);
    expect(webhook && verified(secret, webhook)).toMatchObject({ data: { id } });
  });

  test.each<[string, readonly string[], number, string]>([
    ['no key', ['--forward-to', 'http://127.0.0.1:1/'], 2, '--key is missing'],
    ['no receiver', ['--key', 'sk_1'], 2, '--forward-to is missing'],
    ['no URL', ['--key', 'sk_1', '--forward-to', 'localhost:3000'], 2, '--forward-to must be a URL'],
    ['an unknown option', ['--keys', 'sk_1'], 2, '--keys'],
    [
      'a short secret',
      ['--key', 'sk_1', '--forward-to', 'http://a/', '--secret', 'whsec_YQ=='],
      2,
      '--secret must be',
    ],
    [
      'an invalid key',
      ['--key', 'sk_1', '--forward-to', 'http://127.0.0.1:1/'],
      1,
      '401 invalid_api_key: Invalid API key',
    ],
    [
      'an unknown type',
      ['--key', '<KEY>', '--forward-to', 'http://127.0.0.1:1/', '--types', 'order.lost'],
      1,
      '400 bad_request: ',
    ],
  ])('exits with an error for %s', async (_, args, code, text) => {
    const filled = args.map((arg) => (arg === '<KEY>' ? key : arg));
    const { ended } = run('--url', platform.publicUrl, ...filled);
    const { code: actual, err } = await ended;
    expect([actual, err]).toEqual([code, expect.stringContaining(text)]);
    expect(err).not.toContain('    at ');
  });
});
