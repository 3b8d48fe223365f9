import { beforeAll, describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { z } from 'zod';
import { type Dashboard, openDashboard } from '../harness/dashboard.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { startLoad } from '../harness/load.ts';
import { authorizationsOf } from '../harness/metrics.ts';
import { connect, oauthClient } from '../harness/oauth.ts';
import { awaitMailAbout, mailsAbout, signUpVerified, type TestPerson } from '../harness/people.ts';
import { rawRequest } from '../harness/raw-request.ts';
import { decided, findRequest, listRequests } from '../harness/recorded-requests.ts';
import { unissued } from '../harness/refused-bearers.ts';
import { bearerLine, requestBytes } from '../harness/request-bytes.ts';
import { running } from '../harness/running.ts';
import { sharedBehind } from '../harness/shared-platform.ts';

/*
 * A call with a string that was rotated, deleted or revoked gets the response of a random string, and shows at the key or
 * connection that it was of. Of two gateways, over two identity-services, one refuses many unknown strings with 429.
 */

const path = '/v2/businesses/me';
const origin = 'https://page.example';
const [lenient, strict] = [0, 1];

const platform = running(() =>
  sharedBehind({
    gateways: 2,
    gatewayEnv: (index) => ({
      TRUSTED_PROXIES: '127.0.0.1',
      ...(index === strict && { UNKNOWN_CREDENTIALS_PER_MINUTE: '20' }),
    }),
  }),
);
let ada: TestPerson;
let dashboard: Dashboard;
beforeAll(async () => {
  ada = await signUpVerified(platform);
  dashboard = await openDashboard(ada, ada.browser);
});

const newKey = (name = 'Till') => platform.createKey({ businessId: ada.businessId, name });

const call = async (gateway: number, key: string, address = '192.0.2.7') => {
  const response = await platform.request(gateway, 'GET', path, {
    key,
    headers: { 'X-Forwarded-For': address },
  });
  return { status: response.status, id: String(response.headers['x-request-id']) };
};

const oldStrings = z.object({
  oldStrings: z.array(
    z.looseObject({ limitId: z.string(), calls: z.number(), lastFour: z.string().nullable() }),
  ),
});

/** Old strings of a key or connection, as the owner or another person reads them. */
async function oldStringsOf(limitId: string, reader = dashboard) {
  const response = await reader.own('GET', '/old-strings');
  expect(response.status).toBe(200);
  return oldStrings.parse(response.json()).oldStrings.filter((each) => each.limitId === limitId);
}

/** Waits until the calls with the old strings of a key or connection are those. */
const untilCalls = (limitId: string, ...calls: readonly number[]) =>
  expectEventually(
    async () => expect((await oldStringsOf(limitId)).map((each) => each.calls)).toEqual(calls),
    { withinMs: 5_000 },
  );

/** Everything that a string gets, without what differs between two responses to the same request. */
async function bytesFor(gateway: number, key: string, address: string): Promise<string> {
  const lines = [`Origin: ${origin}`, `X-Forwarded-For: ${address}`, bearerLine(key), 'Connection: close'];
  const { text } = await rawRequest(platform.gatewayPorts[gateway] ?? 0, requestBytes('GET', path, lines));
  return text.replace(/^(Date|X-Request-Id): .*$/gm, '$1: …');
}

/** A connection of the business with an application whose pages may read responses. */
async function newConnection() {
  const businessId = await platform.createVerifiedBusiness('publisher');
  const application = await platform.createApplication({
    businessId,
    allowedOrigins: [origin],
    ipWhitelist: ['192.0.2.0/24', '127.0.0.1'],
  });
  const { accessToken } = await connect(platform, ada.browser, application);
  const [grant] = (await platform.listGrants(ada.businessId)).filter(
    ({ applicationId }) => applicationId === application.id,
  );
  return { application, accessToken, grantId: grant?.id ?? '' };
}

test('an old string of any kind gets the bytes of a random one, from every gateway, and is counted', async () => {
  const [rotated, deleted, ofSandbox] = [await newKey(), await newKey(), await newKey('In a sandbox')];
  const [revoked, disconnected] = [await newConnection(), await newConnection()];
  await platform.sql('INSERT INTO sandboxes (business_id, person_id) VALUES ($1, $2)', [
    ada.businessId,
    'per_1',
  ]);
  for (const { keyString } of [rotated, deleted, ofSandbox])
    expect((await call(lenient, keyString)).status).toBe(200);
  expect((await call(lenient, revoked.accessToken)).status).toBe(200);
  for (const key of [rotated, ofSandbox]) await platform.rotateKey(key);
  await platform.deleteKey(deleted);
  await oauthClient(platform, revoked.application).revoke(revoked.accessToken);
  await platform.disconnectGrant(ada.businessId, disconnected.grantId);
  const strings = {
    sk: [rotated.keyString, deleted.keyString, ofSandbox.keyString],
    at: [revoked.accessToken, disconnected.accessToken],
  };
  for (const gateway of [lenient, strict]) {
    for (const prefix of ['sk', 'at'] as const) {
      const expected = await bytesFor(gateway, createCheckedToken(prefix), `192.0.2.3${gateway}`);
      expect(expected).toMatch(/^HTTP\/1\.1 401 /);
      for (const key of [...strings[prefix], ...strings[prefix], unissued(platform, prefix)]) {
        expect(await bytesFor(gateway, key, `192.0.2.4${gateway}`)).toBe(expected);
      }
    }
  }
  for (const id of [rotated.id, deleted.id, ofSandbox.id, revoked.grantId, disconnected.grantId]) {
    await untilCalls(id, 4);
  }
  await platform.sql('DELETE FROM sandboxes WHERE business_id = $1', [ada.businessId]);
});

test('a call with an old string shows at its key, with its cause and what to do', async () => {
  const key = await newKey('Storefront');
  await platform.rotateKey(key);
  const { id } = await call(lenient, key.keyString, '192.0.2.8');
  await call(strict, key.keyString, '192.0.2.9');
  await untilCalls(key.id, 2);
  expect(await oldStringsOf(key.id)).toMatchObject([
    {
      caller: { kind: 'api_key', id: key.id, name: 'Storefront', exists: true },
      lastFour: key.keyString.slice(-4),
      reason: 'rotated',
      addresses: ['192.0.2.9', '192.0.2.8'],
    },
  ]);
  const found = await findRequest(dashboard, id);
  expect(found).toMatchObject({
    status: 401,
    reason: 'unknown',
    title: 'An old string of the key',
    credential: { type: 'secret_key', id: key.id, limitId: key.id, caller: { name: 'Storefront' } },
    remedy: { page: 'api_key', id: key.id },
  });
  expect(found.explanation?.problem).toMatch(/no longer works since \d+ \w+ \d+, \d\d:\d\d:\d\d UTC\.$/);
  expect(found.explanation?.advice).toContain('Give the program at 192.0.2.8 the key’s present string');
  expect(decided(found).failed).toEqual(['found']);
  const usage = await platform.sql('SELECT 1 FROM usage_counts WHERE limit_id = $1', [key.id]);
  expect(usage).toEqual([]);
});

test('a deleted key keeps its name in the requests, and no other business sees them', async () => {
  const key = await newKey('Warehouse');
  await platform.deleteKey(key);
  const { id } = await call(lenient, key.keyString);
  const found = await findRequest(dashboard, id);
  expect(found).toMatchObject({
    title: 'The key was deleted',
    credential: { caller: { name: 'Warehouse', exists: false } },
    remedy: { page: 'api_keys' },
  });
  const { requests } = await listRequests(dashboard, { credential: key.id });
  expect(requests.map((each) => each.id)).toEqual([id]);
  await untilCalls(key.id, 1);
  const eve = await signUpVerified(platform);
  const hers = await openDashboard(eve, eve.browser);
  expect(await oldStringsOf(key.id, hers)).toEqual([]);
  expect((await hers.own('GET', `/requests/${id}`)).status).toBe(404);
});

test('a token of a connection that ended shows at the connection', async () => {
  const { accessToken, grantId } = await newConnection();
  await platform.disconnectGrant(ada.businessId, grantId);
  const { id } = await call(lenient, accessToken);
  expect(await findRequest(dashboard, id)).toMatchObject({
    title: 'The access token was revoked',
    credential: { type: 'access_token', limitId: grantId, caller: { kind: 'application', name: 'Shop' } },
  });
  await untilCalls(grantId, 1);
  expect(await oldStringsOf(grantId)).toMatchObject([{ reason: 'disconnected', lastFour: null }]);
});

test('tokens that end with their app, or with its client secret, are known as well', async () => {
  const [deleted, renewed] = [await newConnection(), await newConnection()];
  await platform.deleteApplication(deleted.application);
  await platform.rotateClientSecret(renewed.application);
  for (const { accessToken, grantId } of [deleted, renewed]) {
    expect((await call(lenient, accessToken)).status).toBe(401);
    await untilCalls(grantId, 1);
  }
  const caller = (exists: boolean) => expect.objectContaining({ kind: 'application', name: 'Shop', exists });
  expect(await oldStringsOf(deleted.grantId)).toMatchObject([
    { reason: 'application_deleted', caller: caller(false) },
  ]);
  expect(await oldStringsOf(renewed.grantId)).toMatchObject([{ reason: 'revoked', caller: caller(true) }]);
});

describe('in a flood of calls', () => {
  test('every one with a dead key is counted, those with 429 too, for few look-ups', async () => {
    const key = await newKey('Flooded');
    await platform.rotateKey(key);
    const lookups = async () =>
      (await Promise.all(platform.identities.map(authorizationsOf))).reduce((sum, count) => sum + count, 0);
    const before = await lookups();
    const load = startLoad({ ports: platform.gatewayPorts, rate: 500, path, key: key.keyString });
    await expectEventually(() => expect(load.report.records.length).toBeGreaterThan(1_000), {
      withinMs: 30_000,
    });
    const { records } = await load.stop();
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set([401, 429]));
    await untilCalls(key.id, records.length);
    expect((await lookups()) - before).toBeLessThan(40);
  });

  test('random strings cause no look-up', async () => {
    const lookups = async () =>
      (await Promise.all(platform.identities.map(authorizationsOf))).reduce((sum, count) => sum + count, 0);
    const before = await lookups();
    for (let sent = 0; sent < 100; sent++) await call(sent % 2, createCheckedToken('sk'));
    expect(await lookups()).toBe(before);
  });
});

describe('the owner of a key', () => {
  const subject = 'An old string of an API key is still used';
  const mails = () => mailsAbout(platform.mailDirectory, ada.email, subject);
  const notices = (id: string) =>
    platform.sql("SELECT topic FROM notices WHERE subject_id = $1 AND action = 'api_key.old_string_used'", [
      id,
    ]);
  const age = (id: string) =>
    platform.sql(
      "UPDATE retired_strings SET retired_at = retired_at - interval '1 hour' WHERE limit_id = $1",
      [id],
    );

  test('gets one email a day while calls with an old string go on, and none in the minutes of a change', async () => {
    const key = await newKey('Nightly export');
    await platform.rotateKey(key);
    await call(lenient, key.keyString, '192.0.2.20');
    await untilCalls(key.id, 1);
    expect(await notices(key.id)).toEqual([]);
    await age(key.id);
    await call(lenient, key.keyString, '192.0.2.21');
    await untilCalls(key.id, 2);
    const { text } = await awaitMailAbout(platform.mailDirectory, ada.email, subject);
    expect(text).toContain(`the API key “Nightly export” (…${key.keyString.slice(-4)}) that was rotated on `);
    expect(text).toContain(
      ': 2 calls were refused until now, the last from 192.0.2.21, before that 192.0.2.20.',
    );
    expect(text).toContain(`/dashboard/${ada.businessId}/settings/developers/requests?credential=${key.id}`);
    for (const gateway of [lenient, strict, lenient]) await call(gateway, key.keyString);
    await untilCalls(key.id, 5);
    expect(await notices(key.id)).toEqual([{ topic: 'keys' }]);
    expect(mails()).toHaveLength(1);
    // As on the next day.
    await platform.sql("UPDATE notices SET key = key || ':before' WHERE subject_id = $1", [key.id]);
    await call(strict, key.keyString);
    await awaitMailAbout(platform.mailDirectory, ada.email, subject, 2);
  });

  test('hears of a deleted key in the same way', async () => {
    const key = await newKey('Old partner');
    await platform.deleteKey(key);
    await age(key.id);
    await call(lenient, key.keyString);
    await untilCalls(key.id, 1);
    const mail = await expectEventually(
      () => {
        const found = mails().find(({ text }) => text.includes('“Old partner”'));
        if (found === undefined) throw new Error('no email');
        return found;
      },
      { withinMs: 15_000 },
    );
    expect(mail.text).toContain('that was deleted on ');
  });
});
