import { expect, test } from '@jest/globals';
import { eventsOf } from '../harness/audit-events.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { foreignKey, githubReport, startGithub } from '../harness/github-reports.ts';
import { untilRefused, warm } from '../harness/leaks.ts';
import { onlyNoticeMail } from '../harness/notices.ts';
import { signUp } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * Reports of GitHub's secret scanning, signed with a key that GitHub publishes, are handled as those of any person; what is not
 * signed so is refused.
 */

const github = running(startGithub);
const platform = running(() => startPlatform({ gateways: 2, identityEnv: github.identityEnv }));

const url =
  'https://github.com/octocat/Hello-World/blob/12345600b9cbe38a219f39a9941c9319b600c002/foo/bar.txt';
const bodyOf = (token: string) =>
  JSON.stringify([{ token, type: 'business_api_key', url, source: 'content' }]);

const send = (...report: Parameters<typeof githubReport>) =>
  platform.request(1, 'POST', '/v2/leaks/github', githubReport(...report));

test('a key in a report that GitHub signed is handled by the policy, and its owners are sent the address', async () => {
  const ada = await signUp(platform);
  const { businessId } = ada;
  await platform.sql("INSERT INTO leak_policies (business_id, policy) VALUES ($1, 'delete')", [businessId]);
  const key = await platform.createKey({ businessId, name: 'Till' });
  await warm(platform, key);
  const response = await send(bodyOf(key.keyString));
  expect([response.status, response.text]).toEqual([200, '[]']);
  await untilRefused(platform, key, 401);
  const { text } = await onlyNoticeMail(platform, ada, 'A leaked API key was deleted');
  expect(text).toContain(
    'at https[:]//github[.]com/octocat/Hello-World/blob/12345600b9cbe38a219f39a9941c9319b600c002/foo/bar[.]txt',
  );
  expect(text).toContain('and reported as leaked by “GitHub secret scanning”');
});

test('a report that is not signed with a key of GitHub is refused, and changes nothing', async () => {
  const key = await platform.createKey();
  const body = bodyOf(key.keyString);
  const refused = [
    await send(body, { key: foreignKey }),
    await send(body, { signed: bodyOf('another') }),
    await send(body, { name: 'unknown' }),
    await platform.request(1, 'POST', '/v2/leaks/github', { body, headers: {} }),
  ];
  for (const response of refused) {
    expect([response.status, response.json()]).toMatchObject([
      400,
      { error: 'the signature does not match' },
    ]);
  }
  const nonsense = [await send(''), await send('{'), await send('{}'), await send('[{"token":7}]')];
  expect(nonsense.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  // With a key that is handled after them.
  const last = await platform.createKey();
  await send(JSON.stringify([{ token: last.keyString, type: 'x', url: '', source: '' }]));
  await expectEventually(async () => expect(await eventsOf(platform, last.id)).toHaveLength(2), {
    withinMs: 10_000,
  });
  expect(await eventsOf(platform, key.id)).toHaveLength(1);
});

test('the keys are fetched once, and for unknown ones at most once a minute more', async () => {
  for (let sent = 0; sent < 20; sent++) await send('[]', { name: `unknown-${sent}` });
  expect((await send('[]')).status).toBe(200);
  expect(github.fetched()).toBe(1);
});

test('where no address of the keys is configured, the door is closed', async () => {
  const closed = await sharedPlatform();
  const response = await closed.request(0, 'POST', '/v2/leaks/github', { body: [] });
  expect([response.status, response.json()]).toEqual([
    404,
    { error: 'not found', status: 'Not Found', code: 404 },
  ]);
  await closed.close();
});
