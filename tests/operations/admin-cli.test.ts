import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { authorizationService } from '@platform/protos/identity';
import { createGrpcClient, type GrpcClient } from '@platform/service-kit/grpc/client.ts';
import { adminEnv, adminJsonOn, adminOn, runAdminIntoClosedPipe, runAdminProgram } from '../harness/admin.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';

let platform: Platform;
let authorization: GrpcClient<typeof authorizationService>;
beforeAll(async () => {
  platform = await startPlatform({ gateways: 0 });
  const target = platform.targets.identity;
  authorization = createGrpcClient(authorizationService, { target, tls: { kind: 'plain' } });
});
afterAll(async () => {
  authorization.close();
  await platform.close();
});

const admin = (...args: string[]) => adminOn(platform, ...args);
const adminJson = (...args: string[]) => adminJsonOn(platform, ...args);

const outcome = async (bearer: string, requiredScope = '') => {
  const request = { bearer, clientIp: '192.0.2.1', requiredScope };
  return (await authorization.rpc.Authorize(request, { deadlineMs: 30_000 })).outcome;
};

const newBusiness = async (username: string) => {
  const facts = ['--account-holder', 'Acme Ltd', '--username', username];
  return String((await adminJson('business', 'create', ...facts)).id);
};

describe('business', () => {
  test('is created, shown, verified, banned and unbanned', async () => {
    const given = ['--account-holder', 'Acme Ltd', '--username', 'acme', '--logo', 'https://a.example/l.png'];
    const created = await adminJson('business', 'create', ...given);
    expect(created).toMatchObject({
      accountHolder: 'Acme Ltd',
      username: 'acme',
      logo: 'https://a.example/l.png',
      isBanned: false,
      verification: { status: 'unverified', legalName: null },
    });
    const which = ['--business', String(created.id)];
    const facts = ['--legal-name', 'Acme Limited', '--registration-number', 'HRB 1', '--country', 'DE'];
    expect(await adminJson('business', 'verify', ...which, ...facts)).toMatchObject({
      verification: { status: 'verified', legalName: 'Acme Limited', country: 'DE' },
    });
    for (const [act, isBanned] of [
      ['ban', true],
      ['unban', false],
    ] as const) {
      expect(await adminJson('business', act, ...which, '--reason', 'fraud')).toMatchObject({ isBanned });
    }
    const { out } = await admin('business', 'get', ...which);
    expect(out).toMatch(/^username +acme$/m);
    expect(out).toMatch(/^verification +verified$/m);
  });

  test('is rejected with a reason, and approved later without naming the facts again', async () => {
    const business = await newBusiness('rejected');
    const facts = { legalName: 'Acme Limited', registrationNumber: 'HRB 1', country: 'DE' };
    const submit = () =>
      platform.businessRpc.SubmitVerification(
        { businessId: Number(business), ...facts },
        { deadlineMs: 30_000 },
      );
    await submit();
    const rejected = await adminJson('business', 'reject', '--business', business, '--reason', 'not found');
    expect(rejected.verification).toMatchObject({ status: 'rejected', rejectionReason: 'not found' });
    await submit();
    const verified = await adminJson('business', 'verify', '--business', business);
    expect(verified.verification.status).toBe('verified');
  });
});

describe('key', () => {
  test('is created, used, changed, rotated and deleted', async () => {
    const business = await newBusiness('lives');
    const settings = ['--name', 'Partner', '--type', 'restricted', '--scopes', 'orders:read,business:read'];
    const created = await adminJson('key', 'create', '--business', business, ...settings, '--expires', '90d');
    expect(created).toMatchObject({
      name: 'Partner',
      keyType: 'restricted',
      scopes: ['business:read', 'orders:read'],
      status: 'active',
      limit: 10_000,
      lastUsedAt: null,
    });
    const days = (Date.parse(created.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(90, 2);
    expect(await outcome(created.keyString, 'business:read')).toBe('OUTCOME_ALLOWED');

    const which = ['--business', business, '--key', created.id];
    const updated = await adminJson('key', 'update', ...which, '--name', 'New', '--scopes', 'orders:read');
    expect(updated).toMatchObject({ name: 'New', scopes: ['orders:read'], propagation: 'confirmed' });
    expect(await outcome(created.keyString, 'business:read')).toBe('OUTCOME_SCOPE_DENIED');

    const addresses = await adminJson(
      'key',
      'update',
      ...which,
      '--ip-whitelist',
      '203.0.113.77/24,2001:db8::1',
    );
    expect(addresses).toMatchObject({ ipWhitelist: ['203.0.113.0/24', '2001:db8::1'] });
    expect(await outcome(created.keyString, 'orders:read')).toBe('OUTCOME_IP_DENIED');
    expect(await adminJson('key', 'update', ...which, '--ip-whitelist', '')).toMatchObject({
      ipWhitelist: [],
    });
    expect(await adminJson('key', 'limit', ...which, '--limit', '25000')).toMatchObject({ limit: 25_000 });
    const frozen = await adminJson('key', 'freeze', ...which, '--reason', 'seen in a log');
    expect(frozen).toMatchObject({ freezeReason: 'seen in a log', propagation: 'confirmed' });
    expect(await outcome(created.keyString)).toBe('OUTCOME_KEY_FROZEN');
    expect((await admin('key', 'list', '--business', business)).out).toContain('frozen');
    expect((await admin('key', 'freeze', ...which)).err).toContain('already frozen');
    expect(await adminJson('key', 'unfreeze', ...which)).toMatchObject({ frozenAt: null });
    expect(await outcome(created.keyString)).toBe('OUTCOME_ALLOWED');
    expect((await admin('key', 'unfreeze', ...which)).err).toContain('not frozen');
    const rotated = await adminJson('key', 'rotate', ...which);
    expect(await outcome(created.keyString)).toBe('OUTCOME_INVALID');
    expect(await outcome(rotated.keyString)).toBe('OUTCOME_ALLOWED');
    expect(await adminJson('key', 'get', ...which)).not.toHaveProperty('keyString');
    expect(await adminJson('key', 'delete', ...which)).toEqual({
      id: created.id,
      deleted: true,
      propagation: 'confirmed',
    });
    expect(await outcome(rotated.keyString)).toBe('OUTCOME_INVALID');
    expect(await adminJson('key', 'list', '--business', business)).toEqual([]);
  });

  test('is shown with its string once, with a notice, and never in a list', async () => {
    const business = await newBusiness('shown-once');
    const settings = ['--business', business, '--name', 'A', '--type', 'secret'];
    const { out, err, code } = await admin('key', 'create', ...settings);
    expect({ err, code }).toEqual({ err: '', code: 0 });
    const strings = out.match(/sk_[0-9A-Za-z]{45}/g) ?? [];
    expect(strings).toHaveLength(1);
    expect(out).toContain('This key string is shown only now.');
    const list = await admin('key', 'list', '--business', business);
    expect(list.out).not.toContain(strings[0]);
    expect(list.out).toMatch(/^ID +NAME +TYPE +STATUS/);
    expect(list.out).toMatch(/^key_\w+ +A +secret +active/m);
  });

  test('is listed, however many there are, newest first', async () => {
    const business = await newBusiness('many-keys');
    const fill = `INSERT INTO api_keys (id, business_id, name, description, key_type, scopes, secret_hash, last_four, request_limit, created_at)
      SELECT 'key_' || lpad(n::text, 24, '0'), $1, 'Key ' || n, repeat('x', 500), 'secret', '{}', decode(md5(n::text), 'hex'), 'abcd', 1,
             now() - n / 150 * interval '1 hour'
      FROM generate_series(1, 1005) n`;
    await platform.sql(fill, [business]);
    const list = await adminJson('key', 'list', '--business', business);
    const names = list.map(({ name }: { readonly name: string }) => name);
    expect(names).toEqual(Array.from({ length: 1_005 }, (_, at) => `Key ${at + 1}`));
  });

  test('is changed under the user name of the operator in the shell', async () => {
    const business = await newBusiness('audited');
    const settings = ['--business', business, '--name', 'A', '--type', 'secret'];
    const { id } = await adminJson('key', 'create', ...settings);
    const audited = await platform.sql(
      'SELECT actor_kind, actor_id, client_ip FROM audit_events WHERE subject_id = $1',
      [id],
    );
    expect(audited).toEqual([{ actor_kind: 'operator', actor_id: userInfo().username, client_ip: null }]);
  });

  test('is rotated while Redis is down, with a message that gateways follow, and exit code 3', async () => {
    const key = await platform.createKey();
    platform.redis?.freeze();
    const which = ['--business', String(key.businessId), '--key', key.id];
    const { code, out, err } = await admin('key', 'rotate', ...which, '--json');
    platform.redis?.thaw();
    expect(err).toBe('revoked; gateways confirm within 30 s\n');
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      propagation: 'pending',
      keyString: expect.stringMatching(/^sk_/),
    });
    expect(await outcome(key.keyString)).toBe('OUTCOME_INVALID');
  });
});

describe('a failed command', () => {
  test.each([
    [
      'an unknown key',
      ['key', 'get', '--business', '1', '--key', `key_${'0'.repeat(24)}`],
      'no such API key',
    ],
    ['an unknown business', ['business', 'get', '--business', '999999'], 'no such business'],
    [
      'a secret key with scopes',
      ['key', 'create', '--business', '1', '--name', 'A', '--type', 'secret', '--scopes', 'orders:read'],
      'a secret key takes no scopes',
    ],
  ])('for %s prints one sentence and exits with 1', async (_, args, sentence) => {
    expect(await admin(...args)).toEqual({ code: 1, out: '', err: `error: ${sentence}\n` });
  });

  test.each([
    ['an unknown command', ['keys'], 'unknown command'],
    ['an option that is missing', ['key', 'list'], "required option '--business <id>' not specified"],
    ['an option that is unknown', ['key', 'list', '--business', '1', '--all'], 'unknown option'],
    ['a business that is no number', ['key', 'list', '--business', 'acme'], 'positive whole number'],
    [
      'an unknown type',
      ['key', 'create', '--business', '1', '--name', 'A', '--type', 'x'],
      'Allowed choices',
    ],
    [
      'an expiration that is no time',
      ['key', 'create', '--business', '1', '--name', 'A', '--type', 'secret', '--expires', 'soon'],
      '--expires must be a duration',
    ],
    ['half of the legal facts', ['business', 'verify', '--business', '1', '--country', 'DE'], 'go together'],
  ])('with %s is wrong usage and exits with 2', async (_, args, text) => {
    const { code, out, err } = await admin(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(text);
  });

  test.each([
    ['a service', ['business', 'get', '--business', '1'], { BUSINESS_GRPC_TARGET: 'ipv4:127.0.0.1:1' }],
    ['a database', ['key', 'list', '--business', '1'], { DATABASE_URL: 'postgresql://a:b@127.0.0.1:1/none' }],
  ])('for %s that does not respond prints one sentence and exits with 1', async (_, args, unreachable) => {
    const { code, err } = await runAdminProgram(args, { ...adminEnv(platform), ...unreachable });
    expect(code).toBe(1);
    expect(err).toMatch(/^error: .*is it running\?\n$/);
  });

  test('outside local mode requires certificates instead of using plain text', async () => {
    const { code, err } = await runAdminProgram(['key', 'list', '--business', '1'], {
      ...adminEnv(platform),
      MODE: 'production',
    });
    expect(code).toBe(1);
    expect(err).toContain('GRPC_TLS_CA: is not set');
  });
});

test('a closed output pipe is no failure of a command', async () => {
  expect(await runAdminIntoClosedPipe(['--help'])).toEqual({ code: 0, out: '', err: '' });
});

describe('the variables of a command', () => {
  const list = ['key', 'list', '--business', '1', '--json'];

  test('are those of the platform that npm start runs, unless a database is set', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'admin-'));
    const { IDENTITY_GRPC_TARGET: identityGrpcTarget, ...identityEnv } = adminEnv(platform);
    writeFileSync(join(directory, 'run.json'), JSON.stringify({ identityGrpcTarget, identityEnv }));
    expect(await runAdminProgram(list, { LOCAL_DIR: directory })).toMatchObject({ code: 0, err: '' });
  });

  test('are missing without a running platform, and the error says what to do', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'admin-'));
    const { code, err } = await runAdminProgram(list, { LOCAL_DIR: directory });
    expect(code).toBe(1);
    expect(err).toContain('npm start');
  });
});

test.each([
  [['--help'], 'business', 'key', '--json'],
  [['business', '--help'], 'create', 'verify', 'reject', 'ban', 'unban'],
  [['key', '--help'], 'create', 'list', 'get', 'update', 'rotate', 'delete', 'limit'],
  [['key', 'create', '--help'], '--scopes', '--expires', 'npm run admin -- key create'],
  [['business', 'verify', '--help'], '--legal-name', 'npm run admin -- business verify'],
])('%p prints its help', async (args, ...words) => {
  const { code, out } = await admin(...args);
  expect(code).toBe(0);
  for (const word of words) expect(out).toContain(word);
});
