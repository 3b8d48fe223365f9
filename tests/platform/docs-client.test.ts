import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { startClientPlatform } from '../harness/client-platform.ts';
import { createDatabase, query } from '../harness/postgres.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { running } from '../harness/running.ts';

/* The samples of the guide "A client in TypeScript": together one program, which is checked by the compiler and runs here. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const guide = readFileSync(join(root, 'docs-site/guides/client.md'), 'utf8');
const blocksOf = (language: string) =>
  Array.from(guide.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')), ([, code = '']) => code);

/** Calls the functions of the samples; messages go to the test. */
const driver = `
import { createHmac } from 'node:crypto';
import { once } from 'node:events';

const tell = (message: object) => new Promise((resolve) => process.send?.(message, resolve));
const { url, pending } = await begin();
await tell({ url });
const [callback] = await once(process, 'message');
const stranger = await connect(callback, { ...pending, state: 'of another' }, 'stranger');
const connected = await connect(callback, pending, 'b1');
const before = await connectionOf('b1').token();
const renewed = await Promise.all([connectionOf('b1').renew(before), connectionOf('b1').renew(before)]);
const { data: theirs } = await clientOf('b1').request('GET /v2/businesses/me');

const body = '{"id":"evt_1","type":"order.paid"}';
const timestamp = String(Math.floor(Date.now() / 1000));
const key = Buffer.from((secrets[0] ?? '').slice('whsec_'.length), 'base64');
const mac = createHmac('sha256', key).update(\`evt_1.\${timestamp}.\${body}\`).digest('base64');
const deliver = async (signature: string) => {
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  return (await receive(new Request('http://x/hook', { method: 'POST', headers, body }))).status;
};
const deliveries = [await deliver(\`v1,\${mac}\`), await deliver('v1,AAAA')];

const followed = follower.follow();
followed.catch(tell);
while ((await store.load()) === undefined) await new Promise((resolve) => setTimeout(resolve, 20));
await tell({
  account: business.account_holder,
  order: order.status,
  stranger,
  connected,
  isRenewedOnce: renewed[0] === renewed[1] && renewed[0] !== before,
  theirs: theirs.id,
  deliveries,
});
process.exit();
`;

const world = running(async () => {
  const started = await startClientPlatform();
  return { ...started, close: started.platform.close };
});
let directory: string;

beforeAll(() => {
  directory = runDirectory().newDirectory('docs-client');
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  const samples = blocksOf('ts').join('\n').replaceAll('https://api.example.com', world.platform.publicUrl);
  writeFileSync(join(directory, 'program.ts'), samples + driver);
});

test('they satisfy the compiler', () => {
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noUnusedLocals: false, types: ['node'] },
    files: ['program.ts'],
  };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  expect(execFileSync(process.execPath, [tsc], { cwd: directory, encoding: 'utf8' })).toBe('');
});

test('they do what the guide says, with its tables', async () => {
  const database = await createDatabase();
  for (const statement of blocksOf('sql').join('\n').split(';\n')) await query(database, statement);
  const { clientId, clientSecret, redirectUri } = world.application;
  const { keyString } = await world.platform.createKey();
  const child = fork(join(directory, 'program.ts'), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: 'pipe',
    env: {
      API_KEY: keyString,
      DATABASE_URL: database,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      REDIRECT_URI: redirectUri,
      WEBHOOK_SECRET: `whsec_${Buffer.alloc(24, 1).toString('base64')} whsec_${Buffer.alloc(24, 2).toString('base64')}`,
    },
  });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => void printed.push(String(text)));
  const message = async () => {
    const [said] = await Promise.race([once(child, 'message'), once(child, 'close')]);
    if (typeof said !== 'object' || said === null) throw new Error(`The program ended:\n${printed.join('')}`);
    return said;
  };
  const { url } = await message();
  child.send((await world.visit(url)).href);
  expect(await message()).toEqual({
    account: expect.any(String),
    order: 'pending',
    stranger: 'ignored',
    connected: 'connected',
    isRenewedOnce: true,
    theirs: world.businessId,
    deliveries: [204, 400],
  });
  await once(child, 'close');
  expect(printed.join('')).toMatch(/^404 not_found [0-9a-f-]{36} http.*\/docs\/errors#not_found$/m);
  expect(printed.join('')).toMatch(/^\d+ order\.paid ord_/m);
});
