import { expect, test } from '@jest/globals';
import { expectEventually } from '../harness/expect-eventually.ts';
import { holdTable } from '../harness/hold-table.ts';
import { request } from '../harness/http-request.ts';
import { startIdentityPlatform } from '../harness/identity-platform.ts';
import { logLines } from '../harness/log-lines.ts';
import { strictIdentity } from '../harness/patience.ts';
import { running } from '../harness/running.ts';

/** Purging of expired data of the authorization server. */

const platform = running(startIdentityPlatform);

test('expired codes and tokens, tokens of ended Grants, old Grants and consents are purged, and the rest stays', async () => {
  await platform.sql(`
    INSERT INTO applications (id, client_id, business_id, name, description, webhooks_enabled)
    VALUES ('apl', 'app', 7, 'Shop', 'text', false)`);
  await platform.sql(`
    INSERT INTO grants (id, application_id, business_id, person_id, ended_at) VALUES
      ('live', 'apl', 7, 'per', NULL),
      ('just ended', 'apl', 8, 'per', now() - interval '30 minutes'),
      ('ended', 'apl', 9, 'per', now() - interval '61 minutes'),
      ('without application', NULL, 9, 'per', now() - interval '61 minutes'),
      ('long ended', 'apl', 10, 'per', now() - interval '91 days'),
      ('long without application', NULL, 10, 'per', now() - interval '91 days')`);
  await platform.sql(`
    INSERT INTO authorization_codes (code_hash, grant_id, redirect_uri, code_challenge, expires_at)
    SELECT sha256(('code' || n || age)::bytea), 'live', 'https://app.example/', 'c', now() - age
    FROM unnest(ARRAY[interval '25 hours', interval '23 hours']) AS age, generate_series(1, 1500) AS n`);
  await platform.sql(`
    INSERT INTO access_tokens (token_hash, id, grant_id, expires_at)
    SELECT sha256((g || n || age)::bytea), g || n || age, g, now() - age
    FROM unnest(ARRAY['live', 'just ended', 'ended', 'without application']) AS g,
         unnest(ARRAY[interval '25 hours', interval '-1 hour']) AS age, generate_series(1, 5) AS n`);
  await platform.sql(`
    INSERT INTO refresh_tokens (token_hash, grant_id, expires_at, used_at)
    SELECT sha256((g || n || age)::bytea), g, now() - age, now() - interval '10 days'
    FROM unnest(ARRAY['live', 'just ended', 'ended', 'without application']) AS g,
         unnest(ARRAY[interval '25 hours', interval '-1 hour']) AS age, generate_series(1, 5) AS n`);
  await platform.sql(`
    INSERT INTO answered_consents VALUES ('old', now() - interval '1 second'), ('new', now() + interval '1 day')`);

  // Housekeeping runs every minute, and first when a replica starts.
  const replica = await platform.addReplica({});
  const count = async (table: string) =>
    (await platform.sql<{ count: number }>(`SELECT count(*)::int FROM ${table}`))[0]?.count;
  await expectEventually(
    async () => {
      const tables = [
        'authorization_codes',
        'access_tokens',
        'refresh_tokens',
        'grants',
        'answered_consents',
      ];
      expect(await Promise.all(tables.map(count))).toEqual([1_500, 10, 10, 4, 1]);
      const { text } = await request(replica.ports.ops ?? 0, 'GET', '/metrics');
      expect(text).toMatch(/^identity_table_bytes\{.*table="refresh_tokens".*\} [1-9]\d+$/m);
    },
    { withinMs: 30_000 },
  );
});

test('a table that cannot be purged does not prevent the purge of others', async () => {
  const consents = () => platform.sql("SELECT id FROM answered_consents WHERE id = 'expired'");
  const held = await holdTable(platform.database, 'authorization_codes');
  try {
    await platform.sql("INSERT INTO answered_consents VALUES ('expired', now() - interval '1 second')");
    const replica = await platform.addReplica(strictIdentity);
    await expectEventually(async () => expect(await consents()).toEqual([]), { withinMs: 30_000 });
    await expectEventually(() => expect(logLines(replica).map(({ msg }) => msg)).toContain('round failed'), {
      withinMs: 30_000,
    });
  } finally {
    await held.release();
  }
});
