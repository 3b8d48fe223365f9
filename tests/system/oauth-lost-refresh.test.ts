import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import {
  connect,
  type OAuthClient,
  oauthClient,
  type TokenResponse,
  type Tokens,
  tokensOf,
} from '../harness/oauth.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/*
 * Promise: no approval ends because a response to a refresh was lost or processes of the application raced, and each theft
 * is found. REFRESHES=10000 REPLAYS=1000 measures it at full size.
 */

const refreshes = Number(process.env.REFRESHES ?? 200);
const replays = Number(process.env.REPLAYS ?? 20);

const platform = running(sharedPlatform);
let owner: TestPerson;
let repeating: TestApplication;
beforeAll(async () => {
  owner = await signUpVerified(platform);
  repeating = await newApplication(true);
});

const newApplication = async (repeatLostRefresh: boolean) =>
  platform.createApplication({
    businessId: await platform.createVerifiedBusiness('publisher'),
    repeatLostRefresh,
  });
const me = async (key: string) => (await platform.me(key, 1)).status;
const connected = (application: TestApplication) => connect(platform, owner.browser, application);
const refusal = ({ status, body }: TokenResponse) => [status, body.error];
const invalidGrant = [400, 'invalid_grant'];

describe('an application that is allowed to repeat lost refreshes', () => {
  const client = () => oauthClient(platform, repeating);

  test('gets the same pair again, from any replica, until the new refresh token is used', async () => {
    const { refreshToken } = await connected(repeating);
    const first = await client().refresh(refreshToken);
    const again = await Promise.all([0, 1, 0, 1].map((at) => client().refresh(refreshToken, {}, {}, at)));
    for (const { status, response } of again)
      expect([status, response.text]).toEqual([200, first.response.text]);
    const pair = tokensOf(first);
    expect(await me(pair.accessToken)).toBe(200);
    const next = tokensOf(await client().refresh(pair.refreshToken, {}, {}, 1));
    expect(refusal(await client().refresh(refreshToken))).toEqual(invalidGrant);
    expect(await me(next.accessToken)).toBe(401);
  });

  test('is refused with another scope, and the connection stays', async () => {
    const { refreshToken } = await connected(repeating);
    const { accessToken } = tokensOf(await client().refresh(refreshToken));
    expect(refusal(await client().refresh(refreshToken, { scope: 'orders:read' }))).toEqual(invalidGrant);
    expect(await me(accessToken)).toBe(200);
    expect((await client().refresh(refreshToken)).status).toBe(200);
  });

  test('loses the connection with a repetition after a minute', async () => {
    const { refreshToken } = await connected(repeating);
    const { accessToken } = tokensOf(await client().refresh(refreshToken));
    await platform.sql(
      "UPDATE refresh_tokens SET used_at = used_at - interval '60 seconds' WHERE used_at IS NOT NULL",
    );
    expect(refusal(await client().refresh(refreshToken))).toEqual(invalidGrant);
    expect(await me(accessToken)).toBe(401);
  });

  test.each([
    ['with a wrong secret', { client_secret: 'cs_x' }, {}],
    ['from outside the whitelist', {}, { 'X-Forwarded-For': '192.0.2.9' }],
  ])('gets nothing again %s', async (_, change, headers) => {
    const { refreshToken } = await connected(repeating);
    await client().refresh(refreshToken);
    expect(refusal(await client().refresh(refreshToken, change, headers))).toEqual([401, 'invalid_client']);
    expect((await client().refresh(refreshToken)).status).toBe(200);
  });

  test('is refused while it is suspended, and gets the same pair afterwards', async () => {
    const { refreshToken } = await connected(repeating);
    const first = await client().refresh(refreshToken);
    await platform.suspendApplication(repeating);
    expect(refusal(await client().refresh(refreshToken))).toEqual([400, 'unauthorized_client']);
    await platform.resumeApplication(repeating);
    expect((await client().refresh(refreshToken)).response.text).toBe(first.response.text);
  });

  test('continues with a new client secret: earlier access tokens have ended, and the same pair still refreshes', async () => {
    const application = await newApplication(true);
    const { refreshToken } = await connected(application);
    await oauthClient(platform, application).refresh(refreshToken);
    const rotated = await platform.rotateClientSecret(application, false);
    expect(refusal(await oauthClient(platform, application).refresh(refreshToken))).toEqual([
      401,
      'invalid_client',
    ]);
    const renewed = oauthClient(platform, { ...application, clientSecret: rotated.clientSecret });
    const pair = tokensOf(await renewed.refresh(refreshToken));
    expect(await me(pair.accessToken)).toBe(401);
    expect(await me(tokensOf(await renewed.refresh(pair.refreshToken)).accessToken)).toBe(200);
  });

  test('gets no stored response once the switch is off, and the change is in the audit log', async () => {
    const application = await newApplication(true);
    const { refreshToken } = await connected(application);
    const { accessToken } = tokensOf(await oauthClient(platform, application).refresh(refreshToken));
    await platform.updateApplication(application, { repeatLostRefresh: false });
    expect(refusal(await oauthClient(platform, application).refresh(refreshToken))).toEqual(invalidGrant);
    expect(await me(accessToken)).toBe(200);
    const text = "SELECT details FROM audit_events WHERE action = 'application.updated' AND subject_id = $1";
    expect(await platform.sql(text, [application.id])).toEqual([
      { details: expect.objectContaining({ repeatLostRefresh: { from: true, to: false } }) },
    ]);
  });

  test('keeps a response until its refresh token is used or the connection ends', async () => {
    const keptOf = async (accessToken: string) => {
      expect(await me(accessToken)).toBe(200);
      const kept = `SELECT count(*)::int AS kept FROM refresh_tokens r JOIN grants g ON g.id = r.grant_id
        WHERE g.application_id = $1 AND r.sealed_answer IS NOT NULL`;
      return platform.sql(kept, [repeating.id]);
    };
    await platform.sql('UPDATE refresh_tokens SET sealed_answer = NULL');
    const first = tokensOf(await client().refresh((await connected(repeating)).refreshToken));
    expect(await keptOf(first.accessToken)).toEqual([{ kept: 1 }]);
    const second = tokensOf(await client().refresh(first.refreshToken));
    expect(await keptOf(second.accessToken)).toEqual([{ kept: 1 }]);
    await client().revoke(second.refreshToken);
    const ended = 'SELECT 1 FROM refresh_tokens WHERE sealed_answer IS NOT NULL AND successor_hash IS NULL';
    expect(await platform.sql(ended)).toEqual([]);
  });
});

/** Two processes of an application that share the stored tokens of a connection, over a network that loses responses. */
function startProcesses(application: TestApplication, tokens: Tokens, lossRate: number) {
  const client: OAuthClient = oauthClient(platform, application);
  const counts = { refreshes: 0, lost: 0, repeated: 0, asked: 0 };
  let stored = tokens;
  let turn = 0;
  const refresh = async (token: string): Promise<TokenResponse | undefined> => {
    counts.refreshes++;
    const response = await client.refresh(token, {}, {}, turn++ % 2);
    const isLost = Math.random() < lossRate;
    if (isLost) counts.lost++;
    return isLost ? undefined : response;
  };
  /** As client libraries do: the same request again, three times at most. */
  const tryRefresh = async (token: string): Promise<Tokens | undefined> => {
    for (let attempt = 0; attempt < 3; attempt++) {
      const response = await refresh(token);
      if (response === undefined) continue;
      if (response.status === 200) return tokensOf(response);
      expect(refusal(response)).toEqual(invalidGrant);
      counts.repeated++;
      return undefined;
    }
    return undefined;
  };
  return {
    counts,
    stored: () => stored,
    /** Both find the access token expired at once. What neither has got, the person is asked for. */
    round: async () => {
      const { refreshToken } = stored;
      const pairs = await Promise.all([tryRefresh(refreshToken), tryRefresh(refreshToken)]);
      const found = pairs.filter((pair) => pair !== undefined);
      expect(new Set(found.map((pair) => pair.refreshToken)).size).toBeLessThanOrEqual(1);
      if (found[0] === undefined) counts.asked++;
      stored = found[0] ?? (await connected(application));
    },
  };
}

const grantsOf = ({ id }: TestApplication) =>
  platform.sql<{ live: number; ended: number }>(
    `SELECT count(*) FILTER (WHERE ended_at IS NULL)::int AS live, count(ended_at)::int AS ended
     FROM grants WHERE application_id = $1`,
    [id],
  );

test.each([
  ['repeats lost refreshes', true],
  ['does not', false],
])('an application that %s loses no connection to lost responses and racing processes', async (_, repeat) => {
  const application = await newApplication(repeat);
  const processes = startProcesses(application, await connected(application), 0.05);
  while (processes.counts.refreshes < refreshes) {
    await processes.round();
    // The stored one, and one for each time that the person was asked again: its response was lost.
    const valid = await platform.sql<{ count: number }>(
      `SELECT count(*)::int FROM refresh_tokens r JOIN grants g ON g.id = r.grant_id
       WHERE g.application_id = $1 AND r.used_at IS NULL`,
      [application.id],
    );
    expect(valid).toEqual([{ count: 1 + processes.counts.asked }]);
  }
  expect(await me(processes.stored().accessToken)).toBe(200);
  expect(await grantsOf(application)).toEqual([{ live: 1, ended: 0 }]);
  if (repeat) expect(processes.counts.repeated).toBe(0);
  if (process.env.REFRESHES !== undefined) process.stderr.write(`${JSON.stringify(processes.counts)}\n`);
});

test.each([
  ['repeats lost refreshes', true],
  ['does not', false],
])('every late replay of a token of an application that %s is found', async (_, repeat) => {
  const application = await newApplication(repeat);
  const client = oauthClient(platform, application);
  for (let n = 0; n < replays; n++) {
    const { refreshToken } = await connected(application);
    if (n % 2 === 0) {
      expect(refusal(await client.reuse(refreshToken, 1))).toEqual(invalidGrant);
    } else {
      tokensOf(await client.refresh(refreshToken));
      await platform.sql(
        `UPDATE refresh_tokens SET used_at = used_at - interval '60 seconds'
         WHERE used_at IS NOT NULL AND grant_id IN (SELECT id FROM grants WHERE application_id = $1)`,
        [application.id],
      );
      expect(refusal(await client.refresh(refreshToken, {}, {}, 1))).toEqual(invalidGrant);
    }
  }
  expect(await grantsOf(application)).toEqual([{ live: 0, ended: replays }]);
});
