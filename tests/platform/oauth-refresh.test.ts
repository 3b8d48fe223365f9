import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, type OAuthClient, oauthClient, type TokenResponse, tokensOf } from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { openClient } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Contract 3.2 and 4.3: refresh tokens, their rotation and their reuse. */

const platform = running(sharedPlatform);
let owner: TestPerson;
let application: TestApplication;
let client: OAuthClient;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  application = await platform.createApplication({ businessId: platform.businessId });
  client = oauthClient(platform, application);
});

const connected = (change = {}) => connect(platform, owner.browser, application, change);

/** Rows of the application. */
const mine = 'grant_id IN (SELECT id FROM grants WHERE application_id = $1)';

function expectRefusal({ status, body }: TokenResponse, error = 'invalid_grant'): void {
  expect([status, body.error]).toEqual([400, error]);
}

const fail = (): never => {
  throw new Error('no response');
};

/** Expects that the Grant behind tokens has ended, on every gateway. */
async function expectEnded(...accessTokens: string[]): Promise<void> {
  for (const token of accessTokens) {
    for (const gateway of [0, 1]) {
      const response = await platform.me(token, gateway);
      expect([response.status, response.json()]).toEqual([
        401,
        { error: 'Invalid access token', status: 'Unauthorized', code: 401 },
      ]);
    }
  }
}

describe('a refresh', () => {
  test('gives a new pair, ends the old refresh token, and starts thirty new days', async () => {
    const first = await connected();
    await platform.sql(
      `UPDATE refresh_tokens SET expires_at = clock_timestamp() + interval '1 hour' WHERE used_at IS NULL AND ${mine}`,
      [application.id],
    );
    const response = await client.refresh(first.refreshToken);
    const second = tokensOf(response);
    expect(response.body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'business:read orders:read',
    });
    expect(second).not.toEqual(first);
    expect((await platform.me(second.accessToken)).status).toBe(200);
    const [row] = await platform.sql<{ days: number }>(
      `SELECT max(extract(epoch FROM expires_at - clock_timestamp()))::float8 / 86400 AS days FROM refresh_tokens
       WHERE used_at IS NULL AND ${mine}`,
      [application.id],
    );
    expect(row?.days).toBeCloseTo(30, 2);
  });

  test('may narrow the access token, for this once, and never widens', async () => {
    const first = await connected({ scope: 'orders:read' });
    expectRefusal(
      await client.refresh(first.refreshToken, { scope: 'orders:read business:read' }),
      'invalid_scope',
    );
    const same = await client.refresh(first.refreshToken);
    expect(same.body.scope).toBe('orders:read');

    const both = await connected();
    const narrow = await client.refresh(both.refreshToken, { scope: 'orders:read' });
    expect(narrow.body.scope).toBe('orders:read');
    expect((await platform.me(tokensOf(narrow).accessToken)).status).toBe(403);
    const wide = await client.refresh(tokensOf(narrow).refreshToken);
    expect(wide.body.scope).toBe('business:read orders:read');
  });

  test.each([
    ['nonsense', 'nonsense'],
    ['an access token', undefined],
  ])('with %s is refused', async (_, given) => {
    const tokens = await connected();
    expectRefusal(await client.refresh(given ?? tokens.accessToken));
    expect((await client.refresh(tokens.refreshToken)).status).toBe(200);
  });

  test('without a token is malformed', async () => {
    expectRefusal(await client.post('/v2/oauth/token', { grant_type: 'refresh_token' }), 'invalid_request');
  });

  test('of another client is refused, and the token stays as it is', async () => {
    const other = await platform.createApplication({ businessId: owner.businessId });
    const tokens = await connected();
    expectRefusal(await oauthClient(platform, other).refresh(tokens.refreshToken));
    expect((await platform.me(tokens.accessToken)).status).toBe(200);
    expect((await client.refresh(tokens.refreshToken)).status).toBe(200);
  });

  test('is possible until the token expires, on the clock of the database, and not at that moment', async () => {
    const tokens = await connected();
    await platform.sql(
      `UPDATE refresh_tokens SET expires_at = clock_timestamp() WHERE used_at IS NULL AND ${mine}`,
      [application.id],
    );
    expectRefusal(await client.refresh(tokens.refreshToken));
    // It was not used, so this is no theft.
    expect((await platform.me(tokens.accessToken)).status).toBe(200);
  });
});

/** Has a minute pass since the refreshes so far. */
const passMinute = () =>
  platform.sql(
    `UPDATE refresh_tokens SET used_at = used_at - interval '60 seconds' WHERE used_at IS NOT NULL AND ${mine}`,
    [application.id],
  );

describe('a refresh token that was used', () => {
  const reuses: Readonly<Record<string, (refreshToken: string) => Promise<TokenResponse>>> = {
    'once its successor was used': (refreshToken) => client.reuse(refreshToken, 1),
    'after a minute': async (refreshToken) => {
      tokensOf(await client.refresh(refreshToken));
      await passMinute();
      return client.refresh(refreshToken, {}, {}, 1);
    },
  };

  test.each(Object.keys(reuses))('ends its Grant %s, and nothing else', async (when) => {
    const other = await signUpVerified(platform);
    const untouched = await connect(platform, other.browser, application);
    const first = await connected();
    const second = await connected();
    expectRefusal((await reuses[when]?.(first.refreshToken)) ?? fail());
    await expectEnded(first.accessToken, second.accessToken);
    expectRefusal(await client.refresh(second.refreshToken));
    expect((await platform.me(untouched.accessToken)).status).toBe(200);
    expect((await client.refresh(untouched.refreshToken)).status).toBe(200);
    const [audit] = await platform.sql<{ details: unknown }>(
      "SELECT details FROM audit_events WHERE action = 'grant.ended' AND business_id = $1 ORDER BY id DESC LIMIT 1",
      [owner.businessId],
    );
    expect(audit?.details).toEqual({ applicationId: application.id, name: 'Shop', reason: 'refresh_reuse' });
  });

  test('is refused within a minute, and the Grant continues while the successor is unused', async () => {
    const first = await connected();
    const second = tokensOf(await client.refresh(first.refreshToken));
    for (const at of [0, 1]) expectRefusal(await client.refresh(first.refreshToken, {}, {}, at));
    expect((await platform.me(second.accessToken, 1)).status).toBe(200);
    const third = tokensOf(await client.refresh(second.refreshToken));
    expectRefusal(await client.refresh(first.refreshToken));
    await expectEnded(second.accessToken, third.accessToken);
  });

  test.each([
    ['with a wrong secret', { client_secret: 'cs_x' }, {}],
    ['from outside the whitelist', {}, { 'X-Forwarded-For': '192.0.2.9' }],
  ])('changes nothing %s, however late', async (_, change, headers) => {
    const first = await connected();
    const second = tokensOf(await client.refresh(first.refreshToken));
    await passMinute();
    const { status, body } = await client.refresh(first.refreshToken, change, headers);
    expect([status, body.error]).toEqual([401, 'invalid_client']);
    expect((await platform.me(second.accessToken)).status).toBe(200);
    expect((await client.refresh(second.refreshToken)).status).toBe(200);
  });
});

describe('refreshes at once', () => {
  test('with one token succeed for only one of 20 requests, in each of 50 rounds', async () => {
    const { accessToken, ...first } = await connected();
    let { refreshToken } = first;
    for (let round = 0; round < 50; round++) {
      const attempts = Array.from({ length: 20 }, (_, n) => client.refresh(refreshToken, {}, {}, n % 2));
      const responses = await Promise.all(attempts);
      expect(responses.map(({ status }) => status).sort()).toEqual([
        200,
        ...Array.from({ length: 19 }, () => 400),
      ]);
      const won = responses.find(({ status }) => status === 200);
      if (won === undefined) throw new Error('no refresh succeeded');
      for (const lost of responses.filter((response) => response !== won)) expectRefusal(lost);
      expect((await platform.me(accessToken)).status).toBe(200);
      ({ refreshToken } = tokensOf(won));
    }
  });

  test('with a used token and with its successor are processed one after the other', async () => {
    const { accessToken, refreshToken } = await connected();
    const { refreshToken: successor } = tokensOf(await client.refresh(refreshToken));
    const holder = await openClient(platform.databases.identity);
    const waiting = (count: number) =>
      expectEventually(
        async () => {
          const found = await platform.sql(`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%refresh_tokens%'`);
          expect(found).toHaveLength(count);
        },
        { withinMs: 5_000 },
      );
    await holder.query('BEGIN');
    await holder.query(`SELECT 1 FROM refresh_tokens WHERE used_at IS NULL AND ${mine} FOR UPDATE`, [
      application.id,
    ]);
    // The use of the successor waits for its row, then the repetition does.
    const use = client.refresh(successor, {}, {}, 0);
    await waiting(1);
    const repetition = client.refresh(refreshToken, {}, {}, 1);
    await waiting(2);
    await holder.query('COMMIT');
    await holder.end();
    expect((await use).status).toBe(200);
    expectRefusal(await repetition);
    await expectEnded(accessToken);
  });
});

describe('with an Idempotency-Key', () => {
  const key = (value: string) => ({ 'Idempotency-Key': value });

  test('a repeated refresh gets the identical response, from any replica', async () => {
    const { refreshToken } = await connected();
    const first = await client.refresh(refreshToken, {}, key('once'));
    const again = await Promise.all(
      [0, 1, 0, 1].map((at) => client.refresh(refreshToken, {}, key('once'), at)),
    );
    expect(new Set([first, ...again].map(({ response }) => response.text)).size).toBe(1);
    expect([first, ...again].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { accessToken, refreshToken: next } = tokensOf(first);
    expect((await platform.me(accessToken)).status).toBe(200);
    expect((await client.refresh(next)).status).toBe(200);
  });

  test('20 refreshes at once get one and the same response', async () => {
    const { refreshToken } = await connected();
    const attempts = Array.from({ length: 20 }, (_, n) =>
      client.refresh(refreshToken, {}, key('all'), n % 2),
    );
    const responses = await Promise.all(attempts);
    expect(new Set(responses.map(({ response }) => response.text)).size).toBe(1);
    expect((await platform.me(tokensOf(responses[0] ?? fail()).accessToken)).status).toBe(200);
  });

  test.each([
    ['another key', {}, key('two')],
    ['no key', {}, {}],
    ['another scope', { scope: 'orders:read' }, key('one')],
  ])('a repetition with %s is treated as one without a key', async (_, change, headers) => {
    const { refreshToken } = await connected();
    const { accessToken } = tokensOf(await client.refresh(refreshToken, {}, key('one')));
    expectRefusal(await client.refresh(refreshToken, change, headers));
    expect((await platform.me(accessToken)).status).toBe(200);
    await passMinute();
    expectRefusal(await client.refresh(refreshToken, change, headers));
    await expectEnded(accessToken);
  });

  test('a repetition gets the identical response even after the new token was used, but not after 60 seconds', async () => {
    const { refreshToken } = await connected();
    const first = await client.refresh(refreshToken, {}, key('late'));
    expect((await client.refresh(tokensOf(first).refreshToken)).status).toBe(200);
    expect((await client.refresh(refreshToken, {}, key('late'))).response.text).toBe(first.response.text);
    await passMinute();
    expectRefusal(await client.refresh(refreshToken, {}, key('late')));
    await expectEnded(tokensOf(first).accessToken);
  });

  test('a repetition by another client is refused, and changes nothing', async () => {
    const other = await platform.createApplication({ businessId: owner.businessId });
    const { refreshToken } = await connected();
    const { accessToken } = tokensOf(await client.refresh(refreshToken, {}, key('mine')));
    expectRefusal(await oauthClient(platform, other).refresh(refreshToken, {}, key('mine')));
    expect((await platform.me(accessToken)).status).toBe(200);
  });

  test('an invalid key is malformed', async () => {
    const { refreshToken } = await connected();
    expectRefusal(await client.refresh(refreshToken, {}, key('two words')), 'invalid_request');
    expect((await client.refresh(refreshToken)).status).toBe(200);
  });
});
