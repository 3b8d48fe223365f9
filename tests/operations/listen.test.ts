import type { ChildProcess } from 'node:child_process';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startCli } from '../harness/cli.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { startWebhookReceiver, verified, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { makeOrder, ordersOf } from '../harness/webhooks.ts';

/* The command listen, which is npm run listen: new events of a business at a receiver of a developer. */

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

/** Runs the command; the next test finds it ended. */
function run(args: readonly string[], variables = { BUSINESS_API_KEY: key }) {
  const started = startCli(['listen', ...args], { env: variables });
  listening = started.child;
  return started;
}

/** Starts the program, and makes orders until one arrives: the program passes over what is there when it starts. */
async function listen(...args: string[]) {
  const origin = `http://127.0.0.1:${platform.gatewayPorts[1]}`;
  const listener = run(['--forward-to', receiver.url, '--url', origin, ...args]);
  await expectEventually(
    async () => {
      await makeOrder(platform, key);
      if (receiver.received.length === 0) throw new Error(`nothing arrived: ${listener.out()}`);
    },
    { withinMs: 20_000, everyMs: 300 },
  );
  return listener;
}

describe('listen', () => {
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

    child.stdin?.write('r\n');
    await expectEventually(() => expect(ordersOf(receiver).filter((order) => order === id)).toHaveLength(3), {
      withinMs: 5_000,
    });
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  test('loses no event while the platform is down', async () => {
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const { err } = await listen('--secret', secret);
    const [, gateway] = platform.gateways;
    await gateway?.kill();
    const id = await makeOrder(platform, key);
    await expectEventually(() => expect(err()).toContain('cannot be reached. Next try in 1 s.'), {
      withinMs: 10_000,
    });
    await gateway?.start();
    await expectEventually(() => expect(ordersOf(receiver)).toContain(id), { withinMs: 20_000 });
    const webhook = receiver.received.find(({ event }) => Object(event.data).id === id);
    expect(webhook && verified(secret, webhook)).toMatchObject({ data: { id } });
  });

  test('prints an object per attempt for programs', async () => {
    const { out } = await listen('--json', '--types', 'order.created');
    const objects = () =>
      out()
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    await expectEventually(() => expect(objects().length).toBeGreaterThan(1), { withinMs: 5_000 });
    const [start, attempt] = objects();
    expect(start).toEqual({ secret: expect.any(String), from: expect.any(String), to: receiver.url });
    expect(receiver.received[0] && verified(start.secret, receiver.received[0])).toBeDefined();
    expect(attempt).toMatchObject({ type: 'order.created', outcome: 204, accepted: true, again_in_ms: null });
  });

  const somewhere = ['--forward-to', 'http://127.0.0.1:1/'];
  test.each<[string, readonly string[], string, number, string]>([
    ['no key', somewhere, '', 3, 'Not logged in.'],
    ['no receiver', [], 'sk_1', 2, "required option '--forward-to <url>'"],
    ['no URL', ['--forward-to', 'localhost:3000'], 'sk_1', 2, '--forward-to must be a URL'],
    ['an unknown option', [...somewhere, '--keys', 'sk_1'], 'sk_1', 2, '--keys'],
    ['a short secret', [...somewhere, '--secret', 'whsec_YQ=='], 'sk_1', 2, '--secret must be'],
    ['an invalid key', somewhere, 'sk_1', 3, '401 invalid_api_key: Invalid API key'],
    ['an unknown type', [...somewhere, '--types', 'order.lost'], '<KEY>', 1, '400 bad_request: '],
  ])('exits with an error for %s', async (_, args, credential, code, text) => {
    const variables = { BUSINESS_API_KEY: credential === '<KEY>' ? key : credential, HOME: '/nowhere' };
    const { ended } = run(['--url', platform.publicUrl, ...args], variables);
    const { code: actual, err } = await ended;
    expect([actual, err]).toEqual([code, expect.stringContaining(text)]);
    expect(err).not.toContain('    at ');
  });
});
