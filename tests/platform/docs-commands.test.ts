import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { codeBlocks, documentationPages as pages } from '../harness/documentation-pages.ts';
import { returned, submitConsent } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { openShell, type Shell } from '../harness/shell.ts';

/** Commands of the guides, pasted into a shell. Those of the reference are in docs-samples.test.ts. */

const cli = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

const platform = running(sharedPlatform);
let owner: TestPerson;
const guides = pages.filter((page) => page !== '/docs/reference');
const texts = new Map<string, string>();
beforeAll(async () => {
  owner = await signUpVerified(platform);
  for (const page of guides) texts.set(page, (await platform.request(0, 'GET', page)).text);
});

const textOf = (page: string) => texts.get(page) ?? '';

/** Blocks of a page that are to be pasted into a shell. */
const blocksOf = (page: string) => codeBlocks(textOf(page), 'sh');

describe('commands do what the guides say, pasted one after the other:', () => {
  let shell: Shell;
  beforeAll(() => {
    shell = openShell();
  });
  afterAll(() => shell.close());

  /** Pastes every block of a page; `fill` gives what stands for a placeholder. Resolves to what each has printed. */
  async function pasteAll(
    page: string,
    fill: (placeholder: string) => Promise<string> | string,
  ): Promise<string[]> {
    const outputs: string[] = [];
    for (const block of blocksOf(page)) {
      let filled = block;
      for (const [placeholder] of block.matchAll(/<[A-Z_]+>/g)) {
        filled = filled.replace(placeholder, await fill(placeholder));
      }
      outputs.push(await shell.paste(filled));
      latest = outputs.at(-1) ?? '';
    }
    return outputs;
  }
  /** Output of the latest block. */
  let latest = '';

  test('no other guide has commands', () => {
    const pagesWithBlocks = guides.filter((page) => blocksOf(page).length > 0);
    expect(pagesWithBlocks).toEqual([
      '/docs',
      '/docs/first-call',
      '/docs/sandbox',
      '/docs/oauth',
      '/docs/reconcile',
      '/docs/cli',
      '/docs/limits',
    ]);
  });

  test('the first page', async () => {
    const { keyString } = await platform.createKey();
    const [output] = await pasteAll('/docs', () => keyString);
    expect(output).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"id":\d+,"is_banned":false/s);
  });

  test('first call', async () => {
    const scopes = ['business:read', 'orders:read', 'orders:write'];
    const { keyString } = await platform.createKey({ type: 'restricted', scopes });
    const outputs = await pasteAll('/docs/first-call', (placeholder) =>
      placeholder === '<API_KEY>' ? keyString : (/"id":"(ord_\w+)"/.exec(latest)?.[1] ?? ''),
    );
    expect(
      outputs.map((output) => [...output.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => status)),
    ).toEqual([[], ['200'], ['201'], ['200'], ['200'], ['200'], ['304'], ['200']]);
    const [, , created, paid, one, many, , checked] = outputs;
    expect(created).toContain('"total":900,');
    expect(paid).toMatch(/"status":"paid".*"metadata":\{"parcel":"P-7"\}/);
    expect(one).toContain('"status":"paid"');
    expect(many).toMatch(/"data":\[\{.*\],"next_cursor":null\}$/);
    expect(checked).toContain('"checked_by":"A"');
  });

  test('an error that a sandbox asks for', async () => {
    const businessId = await platform.createVerifiedBusiness('trial');
    const sandbox = 'INSERT INTO sandboxes (business_id, person_id) VALUES ($1, $2)';
    await platform.sql(sandbox, [businessId, owner.id]);
    const { keyString } = await platform.createKey({ businessId });
    const [output] = await pasteAll('/docs/sandbox', () => keyString);
    expect(output).toMatch(/^HTTP\/1\.1 429 .*Preference-Applied: simulate=rate-limited/s);
  });

  test('the feed of events', async () => {
    const businessId = await platform.createVerifiedBusiness('feed');
    const { keyString } = await platform.createKey({ businessId });
    const order = {
      currency: 'EUR',
      line_items: [{ name: 'Tea', quantity: 1, unit_amount: 450 }],
      customer: { name: 'Ada' },
    };
    const created = await platform.request(0, 'POST', '/v2/order', { key: keyString, body: order });
    expect(created.status).toBe(201);
    const outputs = await pasteAll('/docs/reconcile', () => keyString);
    const read = outputs
      .filter((output) => output !== '')
      .map((output) => ({
        status: /^HTTP\/1\.1 (\d+)/.exec(output)?.[1],
        sequences: [...output.matchAll(/"sequence":(\d+)/g)].map(([, sequence]) => Number(sequence)),
      }));
    expect(read).toEqual([
      { status: '200', sequences: [1, 2] },
      { status: '200', sequences: [3, 4] },
      { status: '200', sequences: [4] },
      { status: '200', sequences: [3, 4] },
    ]);
  });

  test('the command line, with a key of a sandbox', async () => {
    const businessId = await platform.createVerifiedBusiness('terminal');
    const sandbox = 'INSERT INTO sandboxes (business_id, person_id) VALUES ($1, $2)';
    await platform.sql(sandbox, [businessId, owner.id]);
    const scopes = ['business:read', 'orders:read', 'orders:write', 'events:read'];
    const { keyString } = await platform.createKey({ businessId, type: 'restricted', scopes });
    // The program of this repository, where the installed one would be.
    const program = `#!/bin/sh\nexec '${process.execPath}' --disable-warning=ExperimentalWarning '${cli}' "$@"`;
    await shell.paste(`mkdir bin; cat > bin/business-api <<'END'\n${program}\nEND`);
    await shell.paste('chmod +x bin/business-api; PATH="$PWD/bin:$PATH"');
    const [output] = await pasteAll('/docs/cli', () => keyString);
    expect(output).toMatch(/^order\.paid happened to ord_\w+\nID .*\nord_\w+ .* paid .*\n/);
    expect(output).toMatch(/"type":"order\.created".*\n.*"type":"order\.paid".*\n/);
    expect(output).toMatch(/Insufficient scope\n.*\/docs\/errors#insufficient_scope\n/s);
  });

  test('limits', async () => {
    const { keyString } = await platform.createKey();
    const [output] = await pasteAll('/docs/limits', () => keyString);
    expect(output).toMatch(/^HTTP\/1\.1 200 OK\r\n.*"used":0,"remaining":10000,/s);
  });

  test('OAuth', async () => {
    const application = await platform.createApplication({ businessId: owner.businessId });
    const values: Readonly<Record<string, string>> = {
      '<CLIENT_ID>': application.clientId,
      '<CLIENT_SECRET>': application.clientSecret,
      '<REDIRECT_URI>': application.redirectUri,
    };
    const authorize = async () => {
      const { pathname, search } = new URL(latest.trim());
      await owner.browser.open(pathname + search);
      return returned(await submitConsent(owner.browser, 'approve')).code ?? '';
    };
    const outputs = await pasteAll('/docs/oauth', (placeholder) => values[placeholder] ?? authorize());
    const printed = outputs.filter((output) => output !== '');
    expect(printed).toEqual([
      expect.stringMatching(new RegExp(`^${platform.publicUrl}/oauth/authorize\\?`)),
      expect.stringMatching(/^\{"access_token":"at_.*"scope":"business:read orders:read"\}\n$/),
      expect.stringMatching(/^HTTP\/1\.1 200 OK.*"account_holder":"Analytical Engines"/s),
      'the same pair twice\n',
      expect.stringMatching(/^HTTP\/1\.1 200 OK.*\{\}$/s),
      expect.stringMatching(/^HTTP\/1\.1 401 Unauthorized.*"Invalid access token"/s),
    ]);
  });
});
