import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { makeKey } from '../harness/made-key.ts';
import { returned, submitConsent } from '../harness/oauth.ts';
import { signUp, type TestPerson } from '../harness/people.ts';
import { type RegisteredApplication, register } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { openShell, type Shell } from '../harness/shell.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';

/*
 * The first hour of an integrator: a program that knows the address alone finds the pages in llms.txt, reads them as Markdown, and
 * pastes their commands into a shell. A person beside it, who has an email address, signs up, makes a sandbox, and approves. The
 * tests follow one another.
 */

const platform = running(sharedPlatform);
const receiver = running(startWebhookReceiver);

let shell: Shell;
beforeAll(() => {
  shell = openShell();
});
afterAll(() => shell.close());

/** The blocks of a page that are commands, from the page that llms.txt links to. */
async function commandsOf(title: string): Promise<readonly string[]> {
  const get = async (path: string) => (await request(platform.gatewayPorts[0] ?? 0, 'GET', path)).text;
  const [, address = ''] = new RegExp(`\\[${title}\\]\\((\\S+?)\\)`).exec(await get('/llms.txt')) ?? [];
  const markdown = await get(new URL(address).pathname);
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** Pastes all commands of a page, with the values for its placeholders. Resolves to what each has printed. */
async function follow(
  title: string,
  fill: (placeholder: string, printed: string) => string | Promise<string>,
): Promise<readonly string[]> {
  const outputs: string[] = [];
  for (const block of await commandsOf(title)) {
    let filled = block;
    for (const [placeholder] of block.matchAll(/<[A-Z_]+>/g)) {
      filled = filled.replace(placeholder, await fill(placeholder, outputs.at(-1) ?? ''));
    }
    outputs.push(await shell.paste(filled));
  }
  return outputs;
}

const statusesIn = (output: string) =>
  [...output.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status);

let person: TestPerson;
let sandbox: Dashboard & Pick<TestPerson, 'businessId'>;
let key: string;
let app: RegisteredApplication;

test('a person signs up with an email address, and makes a verified sandbox with one press', async () => {
  person = await signUp(platform);
  const dashboard = await openDashboard(person, person.browser);
  const created = await dashboard.call('POST', '/sandboxes');
  const businessId = Number(z.object({ businessId: z.string() }).parse(created.json()).businessId);
  sandbox = { ...(await openDashboard({ businessId }, person.browser)), businessId };
});

test('the first page shows a request that works with a new key', async () => {
  const scopes = ['business:read', 'events:read', 'orders:read', 'orders:write'];
  const made = { name: 'First', description: 'Tries', keyType: 'restricted', scopes };
  ({ keyString: key } = await makeKey(sandbox, made));
  const [output = ''] = await follow('Overview', () => key);
  expect(output).toMatch(/^HTTP\/1\.1 200 OK.*X-Sandbox: true.*"id":\d+/s);
});

test('the page "First call" leads to an order that is created, paid and found', async () => {
  const outputs = await follow('First call', (placeholder, printed) =>
    placeholder === '<API_KEY>' ? key : (/"id":"(ord_\w+)"/.exec(printed)?.[1] ?? ''),
  );
  expect(outputs.flatMap(statusesIn)).toEqual(['200', '201', '200', '200', '200', '304', '200']);
});

test('the page "Sandbox" leads to a rehearsed 429, after which the key works', async () => {
  const [output = ''] = await follow('Sandbox', () => key);
  expect(output).toMatch(
    /^HTTP\/1\.1 429 (?=.*Retry-After: \d+)(?=.*Preference-Applied: simulate=rate-limited)/s,
  );
  expect((await platform.me(key)).status).toBe(200);
});

test('the page "Limits" leads to what is left of the hour', async () => {
  const [output = ''] = await follow('Limits', () => key);
  expect(output).toMatch(/^HTTP\/1\.1 200 OK.*"limit":10000,"used":\d+,"remaining":\d+/s);
});

test('the page "OAuth 2.0" leads from a registered app to tokens, a lost refresh that is repeated, and a revocation', async () => {
  app = await register(sandbox, { ...person, businessId: sandbox.businessId });
  const values: Readonly<Record<string, string>> = {
    '<CLIENT_ID>': app.clientId,
    '<CLIENT_SECRET>': app.clientSecret,
    '<REDIRECT_URI>': app.redirectUri,
  };
  const approve = async (printed: string) => {
    const { pathname, search } = new URL(printed.trim());
    await person.browser.open(pathname + search);
    return returned(await submitConsent(person.browser, 'approve')).code ?? '';
  };
  const outputs = await follow(
    'OAuth 2.0',
    (placeholder, printed) => values[placeholder] ?? approve(printed),
  );
  const printed = outputs.join('\n');
  expect(printed).toContain('"access_token":"at_');
  expect(printed).toContain('the same pair twice\n');
  expect(statusesIn(printed)).toEqual(['200', '200', '401']);
});

test('a webhook endpoint gets the events of invented orders, signed as the page "Receive webhooks" says', async () => {
  const { secret } = z.looseObject({ secret: z.string() }).parse(
    (
      await sandbox.own('POST', '/webhook-endpoints', {
        url: receiver.url,
        description: '',
        events: ['order.paid'],
      })
    ).json(),
  );
  expect((await sandbox.own('POST', '/sandbox/orders', { pace: 'at_once' })).status).toBe(204);
  const delivery = await expectEventually(
    () => {
      const [first] = receiver.received;
      if (first === undefined) throw new Error('Nothing was delivered yet.');
      return first;
    },
    { withinMs: 10_000 },
  );
  const { headers, body } = delivery;
  // HMAC-SHA256 over id, time and body, under what stands in base64 behind whsec_.
  const computed =
    await shell.paste(`hex=$(printf %s '${secret.slice('whsec_'.length)}' | openssl base64 -d -A | od -An -tx1 | tr -d ' \\n')
printf %s '${headers['webhook-id']}.${headers['webhook-timestamp']}.${body.replaceAll("'", "'\\''")}' | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$hex" -binary | openssl base64 -A`);
  expect(headers['webhook-signature']).toContain(`v1,${computed.trim()}`);
});

test('the page "Reconcile with the feed" leads to every event of the sandbox, page by page', async () => {
  const outputs = await follow('Reconcile with the feed', () => key);
  expect(outputs.flatMap(statusesIn).every((status) => status === '200')).toBe(true);
  expect(outputs.join('')).toContain('"type":"order.created"');
});

test('every refusal on the way links to its section of the page about errors, as Markdown too', async () => {
  const { headers, status } = await platform.request(0, 'GET', '/v2/order?limit=0', { key });
  const [, path = '', anchor = ''] = /<([^#>]+)#([^>]+)>; rel="help"/.exec(String(headers.link)) ?? [];
  expect([status, path, anchor]).toEqual([400, '/docs/errors', 'bad_request']);
  const page = await platform.request(0, 'GET', path, { headers: { Accept: 'text/markdown' } });
  expect(page.text).toContain(`{#${anchor}}`);
});
