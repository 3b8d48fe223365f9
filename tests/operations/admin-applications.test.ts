import { beforeAll, expect, test } from '@jest/globals';
import { adminJsonOn, adminOn } from '../harness/admin.ts';
import { connect } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** `npm run admin -- application …` and `grant …`. */

const platform = running(sharedPlatform);
let business: string[];
beforeAll(async () => {
  business = ['--business', String(platform.businessId)];
});

const admin = (...args: string[]) => adminOn(platform, ...args);
const adminJson = (...args: string[]) => adminJsonOn(platform, ...args);

const create = (name: string) => [
  'application',
  'create',
  ...business,
  '--name',
  name,
  '--description',
  'Sends orders out',
  '--redirect-uris',
  'https://app.example/callback,http://127.0.0.1/callback',
  '--scopes',
  'orders:read,business:read',
  '--ip-whitelist',
  '127.0.0.1,192.0.2.0/24',
];

test('an application is created, changed, rotated and deleted on the command line', async () => {
  const made = await adminJson(...create('Shop'));
  expect(made).toMatchObject({
    clientSecret: expect.stringMatching(/^cs_/),
    redirectUris: ['https://app.example/callback', 'http://127.0.0.1/callback'],
    ipWhitelist: ['127.0.0.1', '192.0.2.0/24'],
    webhooksEnabled: false,
  });
  const one = [...business, '--application', made.id];
  const changed = await adminJson(
    'application',
    'update',
    ...one,
    '--webhooks',
    '--webhook-events',
    'order.paid',
    '--repeat-lost-refresh',
  );
  expect(changed).toMatchObject({
    name: 'Shop',
    webhooksEnabled: true,
    webhookEvents: ['order.paid'],
    repeatLostRefresh: true,
  });
  const origins = ['https://tool.example', 'http://localhost:3000'];
  const opened = ['application', 'update', ...one, '--allowed-origins', origins.join(',')];
  expect(await adminJson(...opened)).toMatchObject({ allowedOrigins: origins, webhooksEnabled: true });
  expect(await adminJson(...opened.slice(0, -1), '')).toMatchObject({ allowedOrigins: [] });
  const off = ['--no-webhooks', '--no-repeat-lost-refresh'];
  expect(await adminJson('application', 'update', ...one, ...off)).toMatchObject({
    webhooksEnabled: false,
    repeatLostRefresh: false,
  });

  const kept = await adminJson('application', 'rotate-secret', ...one, '--keep-old');
  expect(kept.secrets).toHaveLength(2);
  const left = await adminJson('application', 'delete-secret', ...one, '--secret', kept.secrets[0].id);
  expect(left.secrets).toEqual([kept.secrets[1]]);
  const rotated = await adminJson('application', 'rotate-secret', ...one);
  expect(rotated.secrets).toHaveLength(1);
  expect(rotated.clientSecret).not.toBe(kept.clientSecret);

  expect(await adminJson('application', 'limit', ...one, '--limit', '200')).toMatchObject({
    connectedUserLimit: 200,
  });
  const list = await admin('application', 'list', ...business);
  expect(list.out).toMatch(
    /^ID +CLIENT ID +NAME +SCOPES +USERS +SECRETS +SUSPENDED +CREATED\napl_.*Shop.*0\/200 +1 +no /,
  );
  const record = await admin('application', 'get', ...one);
  expect(record.out).toContain('connected users      0 of 200');

  expect(await adminJson('application', 'delete', ...one)).toMatchObject({
    deleted: true,
    propagation: 'confirmed',
  });
  const gone = await admin('application', 'get', ...one);
  expect([gone.code, gone.err]).toEqual([1, 'error: no such application\n']);
});

test('a secret is shown with the advice to store it', async () => {
  const { code, out } = await admin(...create('Shown'));
  expect(code).toBe(0);
  expect(out).toMatch(/\ncs_[0-9A-Za-z]{45}\n\nThis client secret is shown only now\./);
});

test('a connected application is listed and disconnected', async () => {
  const owner = await signUpVerified(platform);
  const application = await platform.createApplication({
    businessId: platform.businessId,
    name: 'Connected',
  });
  await connect(platform, owner.browser, application);
  const theirs = ['--business', String(owner.businessId)];
  const [grant] = await adminJson('grant', 'list', ...theirs);
  expect(grant).toMatchObject({ applicationName: 'Connected', lastUsedAt: null });
  const table = await admin('grant', 'list', ...theirs);
  expect(table.out).toMatch(/^ID +APPLICATION +SCOPES +USED +APPROVED +LAST USED +FROM\ngrt_.*none.*never/);
  expect(await adminJson('grant', 'disconnect', ...theirs, '--grant', grant.id)).toEqual({
    id: grant.id,
    disconnected: true,
    propagation: 'confirmed',
  });
  expect(await adminJson('grant', 'list', ...theirs)).toEqual([]);
});

test('errors of application commands are one line', async () => {
  const { code, err } = await admin(
    ...create('Bad').map((part) => (part.startsWith('https:') ? 'http://x.example/' : part)),
  );
  expect([code, err]).toEqual([
    1,
    'error: a redirect URI must use https; http is for loopback addresses only\n',
  ]);
});
