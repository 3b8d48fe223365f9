import { expect, test } from '@jest/globals';
import { createBrowser } from '../harness/browser.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { linesOf } from '../harness/log-lines.ts';
import { awaitMail, newAddress, signUp } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { databaseRows, logFiles, redisContents } from '../harness/secret-scan.ts';
import { invite } from '../harness/team.ts';

/** Texts that give a secret away. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    encodeURIComponent(secret),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
  ];
}

test('no password, token, session ID, second factor secret or CSRF token is stored in plain text or logged', async () => {
  const platform = await startPlatform({
    identityEnv: { LOG_LEVEL: 'debug' },
    gatewayEnv: { LOG_LEVEL: 'debug' },
  });
  try {
    const ada = await signUp(platform);
    const confirmed = await awaitMail(platform.mailDirectory, ada.email);
    const { browser } = ada;
    await browser.open('/account/sessions');
    const csrf = /name="_csrf" value="([^"]*)"/.exec(browser.page.response.text)?.[1] ?? '';
    const [, session = ''] = /^s%3A([\w-]+)\./.exec(browser.session ?? '') ?? [];

    await browser.open('/account/second-factor');
    const offered = await browser.submitAndFollow('/account/second-factor/begin', { password: ada.password });
    const totp = /<span class="code">([A-Z2-7 ]+)</.exec(offered.text)?.[1]?.replaceAll(' ', '') ?? '';

    const dashboard = await openDashboard(ada, browser);
    const invitation = await invite(platform, dashboard, 'invited@people.test');
    await browser.open(invitation.link);
    await dashboard.call('POST', '/invitations/accept', { token: invitation.token });

    const email = newAddress('moved');
    await dashboard.call('POST', '/profile/email', { email, password: ada.password });
    const change = await awaitMail(platform.mailDirectory, email);
    await browser.open(change.link);
    await browser.submit('/account/email/confirm');
    const undo = await awaitMail(platform.mailDirectory, ada.email, 2);
    await browser.open(undo.link);

    const other = createBrowser(platform.gatewayPorts[0] ?? 0);
    await other.open('/password/forgot');
    await other.submit('/password/forgot', { email });
    const { link } = await awaitMail(platform.mailDirectory, email, 2);
    await other.open(link);
    const next = 'a loom that weaves algebra';
    await other.submit('/password/reset', { new_password: next });
    await other.open('/login');
    const last = await other.submit('/login', { email, password: 'one that was typed wrong' });
    await awaitMail(platform.mailDirectory, email, 3);

    const tokens = [confirmed.link, change.link, undo.link, link].map(
      (path) => path.split('token=')[1] ?? '',
    );
    const secrets = [
      ...tokens,
      invitation.token,
      csrf,
      session,
      totp,
      ada.password,
      next,
      'one that was typed wrong',
    ];
    for (const secret of secrets) expect(secret.length).toBeGreaterThan(20);
    // Logs are written every 200 ms.
    const requestId = String(last.headers['x-request-id']);
    for (const service of [...platform.gateways, ...platform.identities]) {
      await expectEventually(() => expect(linesOf(service, requestId)).toContain('request'), {
        withinMs: 5_000,
      });
    }
    const { databases, redis } = platform;
    const places = [
      ...(await databaseRows(databases.identity)),
      ...(await databaseRows(databases.business)),
      ...(redis === undefined ? [] : await redisContents(redis)),
      ...logFiles(),
    ];
    const found = secrets.flatMap((secret) =>
      places
        .filter(({ text }) => formsOf(secret).some((form) => text.includes(form)))
        .map(({ where }) => [where, secret]),
    );
    expect(found).toEqual([]);
  } finally {
    await platform.close();
  }
});
