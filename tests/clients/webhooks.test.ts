import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { orderBody } from '../harness/business-platform.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { runDirectory } from '../harness/run-directory.ts';
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks } from '../harness/webhooks.ts';

/*
 * The Python libraries that verify webhooks, on a delivery of the platform. They are not in Debian: pip installs them for this
 * file alone, or PYTHON_WEBHOOKS names the directory that has them.
 */

const packages = ['standardwebhooks==1.1.0', 'svix==2.0.0'];
const python = () => process.env.PYTHON ?? 'python3';

/** The directory with the modules. @throws with one sentence when there is none */
function findModules(): string {
  const given = process.env.PYTHON_WEBHOOKS;
  if (given) return given;
  const directory = runDirectory().newDirectory('python-webhooks');
  const args = ['-m', 'pip', 'install', '--quiet', '--target', directory, ...packages];
  const { status, stderr } = spawnSync(python(), args, { encoding: 'utf8', timeout: 100_000 });
  if (status === 0) return directory;
  const why = stderr.trim().split('\n').at(-1);
  throw new Error(
    `pip did not install ${packages.join(' and ')} (${why}): name their directory in PYTHON_WEBHOOKS.`,
  );
}

let platform: Platform;
let receiver: WebhookReceiver;
let secret: string;
let delivered: ReceivedWebhook;
let modules: string;
beforeAll(async () => {
  modules = findModules();
  platform = await startPlatform({ webhooks: 1 });
  receiver = await startWebhookReceiver();
  const webhooks = connectWebhooks(platform);
  const owner = { businessId: platform.businessId, applicationId: '' };
  ({ secret } = await webhooks.createEndpoint(owner, receiver.url, ['order.created']));
  const { keyString: key } = await platform.createKey();
  const body = { ...orderBody, customer: { name: 'Zoë Ångström 😀 東京' } };
  await platform.request(0, 'POST', '/v2/order', { key, body });
  await awaitReceived(receiver, 1);
  webhooks.close();
  const [first] = receiver.received;
  if (first === undefined) throw new Error('no delivery arrived');
  delivered = first;
});
afterAll(async () => {
  await receiver?.close();
  await platform?.close();
});

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `accepted` or `refused`, in the order of the requests. */
function verdicts(module: string, requests: readonly Request[]): string[] {
  const script = fileURLToPath(new URL('verify_webhook.py', import.meta.url));
  const lines = requests.map(({ headers, body }) =>
    JSON.stringify({ secret, headers, body: Buffer.from(body).toString('base64') }),
  );
  const { status, stdout, stderr } = spawnSync(python(), ['-B', script, module], {
    encoding: 'utf8',
    input: lines.join('\n'),
    env: { ...process.env, PYTHONPATH: modules },
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim().split('\n');
}

describe.each(['standardwebhooks', 'svix.webhooks'])('%s', (module) => {
  test('verifies a delivery on its raw bytes, and refuses one that is changed, old, or signed with another secret', () => {
    const { headers, body, event } = delivered;
    const tampered = { headers, body: body.replace('Zoë', 'Zoe') };
    const old = { headers: { ...headers, 'webhook-timestamp': String(Date.now() / 1000 - 600) }, body };
    const foreign = { headers: { ...headers, 'webhook-id': 'evt_0' }, body };
    expect(JSON.stringify(event)).toContain('Zoë Ångström 😀 東京');
    expect(verdicts(module, [{ headers, body }, tampered, old, foreign])).toEqual([
      'accepted',
      'refused',
      'refused',
      'refused',
    ]);
  });
});
