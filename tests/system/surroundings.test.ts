import { expect, test } from '@jest/globals';
import { openDashboard } from '../harness/dashboard.ts';
import { connect, oauthClient, tokensOf } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { createDatabase, query } from '../harness/postgres.ts';
import { running } from '../harness/running.ts';
import { startWebhookReceiver, verified } from '../harness/webhook-receiver.ts';
import { awaitReceived, connectWebhooks, makeOrder, ownerOf } from '../harness/webhooks.ts';

/* Services whose environment and databases have settings of others: each request would fail if one of them counted. */

/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:9';
const proxies = ['http_proxy', 'https_proxy', 'grpc_proxy', 'all_proxy'];
const proxyVariables = [...proxies, ...proxies.map((name) => name.toUpperCase())].map((name) => [
  name,
  nowhere,
]);

const postgresVariables = {
  PGHOST: 'nowhere.invalid',
  PGPORT: '9',
  PGUSER: 'nobody',
  PGPASSWORD: 'wrong',
  PGDATABASE: 'none',
  PGSSLMODE: 'require',
  PGSSLNEGOTIATION: 'direct',
  PGOPTIONS: '-c search_path=pg_temp',
  PGAPPNAME: 'another',
  PGBINARY: '1',
  PGREPLICATION: 'database',
  PGCLIENT_ENCODING: 'LATIN1',
  PGCONNECT_TIMEOUT: '1',
};

const surroundings = {
  ...Object.fromEntries(proxyVariables),
  NODE_USE_ENV_PROXY: '1',
  ...postgresVariables,
};

const databaseDefaults = {
  DateStyle: 'SQL, DMY',
  TimeZone: "'Asia/Kolkata'",
  standard_conforming_strings: 'off',
  search_path: 'elsewhere, public',
  default_transaction_isolation: 'serializable',
};

async function createHostileDatabase(): Promise<string> {
  const url = await createDatabase();
  const name = new URL(url).pathname.slice(1);
  // Tables that are made without a schema would go there.
  await query(url, 'CREATE SCHEMA elsewhere');
  for (const [setting, value] of Object.entries(databaseDefaults))
    await query(url, `ALTER DATABASE "${name}" SET ${setting} = ${value}`);
  return url;
}

const platform = running(() =>
  startPlatform({
    webhooks: 1,
    createDatabase: createHostileDatabase,
    gatewayEnv: surroundings,
    identityEnv: surroundings,
    businessEnv: surroundings,
    webhookEnv: surroundings,
  }),
);

test('the platform works despite proxy variables, PG variables and unusual database defaults around it', async () => {
  const person = await signUpVerified(platform);
  await openDashboard(person, person.browser);
  const { keyString: key } = await platform.createKey({ businessId: person.businessId });
  const application = await platform.createApplication({ businessId: person.businessId });
  const webhooks = connectWebhooks(platform);
  const receiver = await startWebhookReceiver();
  try {
    await webhooks.enable(application);
    const { accessToken, refreshToken } = await connect(platform, person.browser, application);
    const { secret } = await webhooks.createEndpoint(ownerOf(application), receiver.url);
    const before = Date.now();
    const id = await makeOrder(platform, key);
    const read = await platform.request(0, 'GET', `/v2/order/${id}`, { key: accessToken });
    expect(read.status).toBe(200);
    const { created_at } = read.json() as { created_at: string };
    expect(Math.abs(Date.parse(created_at) - before)).toBeLessThan(60_000);
    await awaitReceived(receiver, 1);
    const [webhook] = receiver.received;
    expect(webhook && verified(secret, webhook)).toMatchObject({ type: 'order.created', data: { id } });
    const refreshed = tokensOf(await oauthClient(platform, application).refresh(refreshToken));
    await oauthClient(platform, application).revoke(refreshed.accessToken);
    const revoked = await platform.request(0, 'GET', '/v2/order', { key: refreshed.accessToken });
    expect(revoked.status).toBe(401);
  } finally {
    webhooks.close();
    await receiver.close();
  }
});
