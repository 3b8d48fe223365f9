import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { knownBusiness, startIdentityPlatform } from '../harness/identity-platform.ts';
import { running } from '../harness/running.ts';

const everyTable = ['api_keys', 'credential_generations', 'audit_events', 'usage_counts', 'usage_batches'];

const platform = running(() => startIdentityPlatform({ env: { LOG_LEVEL: 'debug' } }));

/** Makes a key and changes it in every way. Returns every string that was ever secret. */
async function liveThroughEverything(): Promise<{ id: string; secrets: string[] }> {
  const created = await platform.createKey({ name: 'Partner', type: 'restricted', scopes: ['orders:read'] });
  await platform.authorize(created.keyString, 'orders:read');
  await platform.updateKey(created, { name: 'New', scopes: ['business:read'] });
  await platform.setKeyLimit(created, 5);
  const rotated = await platform.rotateKey(created);
  const { passport } = await platform.authorize(rotated.keyString, 'business:read');
  await platform.deleteKey(created);
  return { id: created.id, secrets: [created.keyString, rotated.keyString, passport] };
}

test('every change has an audit event: who, what and when', async () => {
  const [clock] = await platform.sql<{ before: Date }>('SELECT now() AS before');
  const { id } = await liveThroughEverything();
  const events = await platform.sql(
    'SELECT *, at BETWEEN $2 AND now() AS recent FROM audit_events WHERE subject_id = $1 ORDER BY id',
    [id, clock?.before],
  );
  const who = {
    actor_kind: 'operator',
    actor_id: 'test',
    client_ip: null,
    request_id: 'test',
    business_id: String(knownBusiness),
    recent: true,
  };
  const lastFour = expect.stringMatching(/^.{4}$/);
  expect(events).toMatchObject([
    { ...who, action: 'api_key.created', details: { name: 'Partner', scopes: ['orders:read'], lastFour } },
    {
      ...who,
      action: 'api_key.updated',
      details: {
        name: { from: 'Partner', to: 'New' },
        scopes: { from: ['orders:read'], to: ['business:read'] },
      },
    },
    { ...who, action: 'api_key.limit_set', details: { limit: { from: 10_000, to: 5 } } },
    { ...who, action: 'api_key.rotated', details: { lastFour: { from: lastFour, to: lastFour } } },
    { ...who, action: 'api_key.deleted', details: { name: 'New', lastFour } },
  ]);
});

test('audit events cannot be changed', async () => {
  await liveThroughEverything();
  for (const statement of [
    "UPDATE audit_events SET actor_id = 'eve'",
    'DELETE FROM audit_events',
    'TRUNCATE audit_events',
  ]) {
    await expect(platform.sql(statement)).rejects.toThrow('append-only');
  }
});

test('no secret is in the database, in Redis or in the log', async () => {
  const { secrets } = await liveThroughEverything();
  const { keyString } = await platform.createKey();
  const ours = [...secrets, keyString, platform.secrets.keyPepper, platform.secrets.passportPrivateKey];
  const tables = await Promise.all(everyTable.map((table) => platform.sql(`SELECT t::text FROM ${table} t`)));
  const redis = await platform.redis?.command('KEYS', '*');
  const logs = platform.replicas.map(({ logFile }) => readFileSync(logFile, 'utf8'));
  const everything = JSON.stringify([tables, redis, logs]);
  expect(everything).toContain('api_key.created');
  for (const secret of ours) {
    expect(everything).not.toContain(secret);
    expect(everything).not.toContain(secret.slice(3, 30));
  }
});
