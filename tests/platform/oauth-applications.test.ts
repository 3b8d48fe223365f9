import { beforeAll, describe, expect, test } from '@jest/globals';
import type { TestApplication } from '../harness/applications.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { connect, knock, oauthClient, tokensOf } from '../harness/oauth.ts';
import { call } from '../harness/patience.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { openClient } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

/** Contract 2.2 and 8: applications and their secrets. */

const platform = running(sharedPlatform);
let owner: TestPerson;
beforeAll(async () => {
  owner = await signUpVerified(platform);
});

const refused = (kind: string, reason: string) => expect.objectContaining({ kind, reason });
const newBusiness = () => platform.createVerifiedBusiness('maker');
const newApplication = async (settings = {}) =>
  platform.createApplication({ businessId: await newBusiness(), ...settings });
const knocks = (app: TestApplication, clientSecret?: string) => knock(platform, app, clientSecret);
const audited = (subjectId: string) =>
  platform.sql<{ action: string; actor_id: string; details: Record<string, unknown> }>(
    'SELECT action, actor_id, details FROM audit_events WHERE subject_id = $1 ORDER BY id',
    [subjectId],
  );

describe('registering', () => {
  test('returns the client ID, and the secret once', async () => {
    const app = await newApplication({ ipWhitelist: ['::ffff:127.0.0.1', '192.0.2.77/24'] });
    expect(app.clientId).toMatch(/^app_/);
    expect(app.clientSecret).toMatch(/^cs_[0-9A-Za-z]{45}$/);
    const stored = await platform.getApplication(app);
    expect(stored).toMatchObject({
      ipWhitelist: ['127.0.0.1', '192.0.2.0/24'],
      connectedUserLimit: 50,
      connectedUsers: 0,
      secrets: [{ lastFour: app.clientSecret.slice(-4), lastUsedAt: undefined }],
    });
    expect(JSON.stringify(stored)).not.toContain(app.clientSecret.slice(3));
    expect(JSON.stringify(await audited(app.id))).not.toContain(app.clientSecret.slice(3));
    expect(await knocks(app)).toBe(400);
    expect((await platform.getApplication(app)).secrets[0]?.lastUsedAt).toBeGreaterThan(0);
  });

  test('is for verified businesses, and says why not', async () => {
    const businessId = await platform.createBusiness('new');
    const attempt = () => platform.createApplication({ businessId });
    await expect(attempt()).rejects.toEqual(refused('failed_precondition', 'business_not_verified'));
    const facts = { legalName: 'X', registrationNumber: 'HRB 1', country: 'DE' };
    await platform.businessRpc.SubmitVerification({ businessId, ...facts }, call);
    await expect(attempt()).rejects.toThrow(/not decided/);
    await platform.businessRpc.RejectVerification({ businessId, reason: 'no such number' }, call);
    await expect(attempt()).rejects.toThrow(/no such number/);
    await expect(platform.createApplication({ businessId: 999_999 })).rejects.toEqual(
      refused('not_found', 'business_not_found'),
    );
  });

  test('three per business, also when ten ask at once, and a fourth after a deletion', async () => {
    const businessId = await newBusiness();
    const attempts = Array.from({ length: 10 }, (_, n) =>
      platform.createApplication({ businessId, name: `App ${n}` }),
    );
    const results = await Promise.allSettled(attempts);
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(made).toHaveLength(3);
    for (const reason of refusals) {
      expect(reason).toEqual(refused('failed_precondition', 'application_limit_reached'));
    }
    const applications = await platform.listApplications(businessId);
    expect(applications.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());
    const [first] = made;
    if (first === undefined) throw new Error('nothing was made');
    await platform.deleteApplication(first);
    await platform.createApplication({ businessId });
    await expect(platform.createApplication({ businessId })).rejects.toEqual(
      refused('failed_precondition', 'application_limit_reached'),
    );
  });

  test.each([
    ['no redirect URI', { redirectUris: [] }, 'invalid_redirect_uri'],
    ['no name', { name: '' }, 'invalid_name'],
  ])('with %s is refused', async (_, settings, reason) => {
    await expect(newApplication(settings)).rejects.toEqual(refused('invalid_argument', reason));
  });
});

describe('an application', () => {
  test('of another business is not found', async () => {
    const app = await newApplication();
    const foreign = { ...app, businessId: platform.businessId };
    const gone = refused('not_found', 'application_not_found');
    await expect(platform.getApplication(foreign)).rejects.toEqual(gone);
    await expect(platform.updateApplication(foreign, { name: 'X' })).rejects.toEqual(gone);
    await expect(platform.rotateClientSecret(foreign)).rejects.toEqual(gone);
    await expect(platform.deleteApplication(foreign)).rejects.toEqual(gone);
    await expect(platform.setConnectedUserLimit(foreign, 9)).rejects.toEqual(gone);
    expect(await knocks(app)).toBe(400);
  });

  test('is changed only in the fields of an update', async () => {
    const app = await newApplication();
    const before = await platform.getApplication(app);
    const { application } = await platform.updateApplication(app, {
      description: 'New',
      webhooksEnabled: true,
      webhookEvents: ['order.paid'],
    });
    expect(application).toEqual({
      ...before,
      description: 'New',
      webhooksEnabled: true,
      webhookEvents: ['order.paid'],
      updatedAt: expect.any(Number),
      readAt: expect.any(Number),
    });
    await expect(platform.updateApplication(app, {})).rejects.toEqual(
      refused('invalid_argument', 'empty_update'),
    );
    expect(await audited(app.id)).toMatchObject([
      { action: 'application.created', actor_id: 'test' },
      { action: 'application.updated', details: { description: { from: 'Sends orders out', to: 'New' } } },
    ]);
  });
});

const statuses = (key: string, path = '/v2/businesses/me') =>
  Promise.all([0, 1].map(async (gateway) => (await platform.request(gateway, 'GET', path, { key })).status));

describe('client secrets', () => {
  test('a rotation ends the old secret at once', async () => {
    const app = await newApplication();
    const rotated = await platform.rotateClientSecret(app, false);
    expect(rotated.application?.secrets).toHaveLength(1);
    expect(await knocks(app)).toBe(401);
    expect(await knocks(app, rotated.clientSecret)).toBe(400);
  });

  test('an immediate rotation ends all access tokens on every gateway, and a refresh gets new ones', async () => {
    const app = await newApplication();
    const { accessToken, refreshToken } = await connect(platform, owner.browser, app);
    expect(await statuses(accessToken)).toEqual([200, 200]);
    const rotated = await platform.rotateClientSecret(app, false);
    expect(await statuses(accessToken)).toEqual([401, 401]);
    const { clientSecret } = rotated;
    const next = tokensOf(await oauthClient(platform, { ...app, clientSecret }).refresh(refreshToken));
    expect(await statuses(next.accessToken)).toEqual([200, 200]);
  });

  test('a rotation that keeps the old secret and its later deletion end no token', async () => {
    const app = await newApplication();
    const { accessToken } = await connect(platform, owner.browser, app);
    const { application } = await platform.rotateClientSecret(app, true);
    const clientSecretId = application?.secrets[0]?.id ?? '';
    await platform.deleteClientSecret(app, clientSecretId);
    expect(await statuses(accessToken)).toEqual([200, 200]);
  });

  test('a refresh that authenticated before the rotation leaves no token after it', async () => {
    const app = await newApplication();
    const { refreshToken } = await connect(platform, owner.browser, app);
    const holder = await openClient(platform.databases.identity);
    const waiting = (count: number) =>
      expectEventually(
        async () => {
          const text = `SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM %grants%'`;
          expect(await platform.sql(text)).toHaveLength(count);
        },
        { withinMs: 10_000 },
      );
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM grants WHERE application_id = $1 FOR UPDATE', [app.id]);
    const rotation = platform.rotateClientSecret(app, false);
    await waiting(1);
    const refresh = oauthClient(platform, app).refresh(refreshToken);
    await waiting(2);
    await holder.query('COMMIT');
    await holder.end();
    const { clientSecret } = await rotation;
    expect((await refresh).body.error).toBe('invalid_client');
    const next = await oauthClient(platform, { ...app, clientSecret }).refresh(refreshToken);
    expect(next.status).toBe(200);
  });

  test('two secrets may be active, each with its last use, and one can be deleted', async () => {
    const app = await newApplication();
    const { clientSecret } = await platform.rotateClientSecret(app, true);
    expect([await knocks(app), await knocks(app, clientSecret)]).toEqual([400, 400]);
    const { secrets } = await platform.getApplication(app);
    expect(secrets.map(({ lastFour }) => lastFour)).toEqual([
      app.clientSecret.slice(-4),
      clientSecret.slice(-4),
    ]);
    expect(secrets.every(({ lastUsedAt }) => lastUsedAt !== undefined)).toBe(true);
    await expect(platform.rotateClientSecret(app, true)).rejects.toEqual(
      refused('failed_precondition', 'client_secret_limit_reached'),
    );
    const clientSecretId = secrets[0]?.id ?? '';
    await platform.deleteClientSecret(app, clientSecretId);
    expect([await knocks(app), await knocks(app, clientSecret)]).toEqual([401, 400]);
    await expect(platform.deleteClientSecret(app, clientSecretId)).rejects.toEqual(
      refused('not_found', 'client_secret_not_found'),
    );
  });

  test('at most two are active after ten rotations at once', async () => {
    const app = await newApplication();
    const attempts = Array.from({ length: 10 }, () => platform.rotateClientSecret(app, true));
    const results = await Promise.allSettled(attempts);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await platform.getApplication(app)).secrets).toHaveLength(2);
  });
});

describe('the limit of connected users', () => {
  test.each([0, 1_000_001])('is never %p', async (limit) => {
    const app = await newApplication();
    await expect(platform.setConnectedUserLimit(app, limit)).rejects.toEqual(
      refused('invalid_argument', 'invalid_limit'),
    );
  });
});

describe('access is removed at once on every gateway by', () => {
  test('removing scopes, which also removes them from existing tokens until they are added again', async () => {
    const app = await newApplication();
    const { accessToken, refreshToken } = await connect(platform, owner.browser, app);
    expect(await statuses(accessToken)).toEqual([200, 200]);
    const set = (values: string[]) => platform.updateApplication(app, { scopes: values });
    expect((await set(['orders:read'])).propagation).toBe('confirmed');
    expect(await statuses(accessToken)).toEqual([403, 403]);
    expect(await statuses(accessToken, '/v2/order')).toEqual([200, 200]);
    const refreshed = await oauthClient(platform, app).refresh(refreshToken);
    expect(refreshed.body.scope).toBe('orders:read');
    await set(['orders:read', 'business:read']);
    expect(await statuses(accessToken)).toEqual([200, 200]);
  });

  test('a change of the whitelist', async () => {
    const app = await newApplication();
    const { accessToken } = await connect(platform, owner.browser, app);
    expect(await statuses(accessToken)).toEqual([200, 200]);
    const set = (values: string[]) => platform.updateApplication(app, { ipWhitelist: values });
    await set(['192.0.2.1']);
    expect(await statuses(accessToken)).toEqual([403, 403]);
    await set(['127.0.0.0/8']);
    expect(await statuses(accessToken)).toEqual([200, 200]);
  });

  test('the deletion of the application', async () => {
    const app = await newApplication();
    const { accessToken, refreshToken } = await connect(platform, owner.browser, app);
    expect(await statuses(accessToken)).toEqual([200, 200]);
    expect(await platform.deleteApplication(app)).toBe('confirmed');
    expect(await statuses(accessToken)).toEqual([401, 401]);
    expect((await oauthClient(platform, app).refresh(refreshToken)).body.error).toBe('invalid_client');
    const grants = await platform.listGrants(owner.businessId);
    expect(grants.some(({ applicationId }) => applicationId === app.id)).toBe(false);
    const left = await platform.sql('SELECT 1 FROM grants WHERE application_id = $1', [app.id]);
    expect(left).toEqual([]);
  });
});
