import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { runAdminProgram } from '../harness/admin.ts';
import { createAuthority } from '../harness/certificates.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import type { Platform } from '../harness/platform.ts';
import { openClient, query } from '../harness/postgres.ts';
import { startRedis, type TestRedis } from '../harness/redis.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import { shiftedClock } from '../harness/steady-clock.ts';

/** npm run admin -- doctor: what is wrong with an installation, in words that say what to do. */

let platform: Platform;
let mailServer: { readonly port: number; close(): unknown };
beforeAll(async () => {
  platform = await sharedPlatform();
  mailServer = await startMailServer();
});
afterAll(async () => {
  await platform.close();
  mailServer.close();
});

/** Greets, and says yes to everything. */
async function startMailServer() {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined).write('220 mail.test\r\n');
    socket.on('data', (data) => {
      socket.write(/^quit/i.test(data.toString()) ? '221 bye\r\n' : '250 mail.test\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

const healthy = () => ({
  MODE: 'local',
  IDENTITY_GRPC_TARGET: platform.targets.identity,
  BUSINESS_GRPC_TARGET: platform.targets.business,
  DATABASE_URL: platform.databases.identity,
  REDIS_URL: platform.redis?.url ?? '',
  PUBLIC_URL: platform.publicUrl,
  SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
});

const findings = z.array(z.object({ subject: z.string(), state: z.string(), text: z.string() }));

/** The findings of the doctor in an environment that differs from the healthy one. */
async function examine(changed: Readonly<Record<string, string>> = {}) {
  const { code, out, err } = await runAdminProgram(['doctor', '--json'], { ...healthy(), ...changed });
  expect(err).toBe('');
  const found = findings.parse(JSON.parse(out));
  const of = (subject: string) => {
    const finding = found.find((each) => each.subject === subject);
    return [finding?.state, finding?.text];
  };
  return { code, of, out };
}

test('doctor reports every part of a healthy platform as ok', async () => {
  // A gateway that another test has killed counts for two seconds more.
  const { code, of } = await expectEventually(
    async () => {
      const found = await examine();
      expect(found.of('Redis')).toEqual(['ok', '2 gateways count in it']);
      return found;
    },
    { withinMs: 10_000 },
  );
  expect(of('identity-service')).toEqual(['ok', expect.stringMatching(/^responds at /)]);
  expect(of('business-service')).toEqual(['ok', expect.stringMatching(/^responds at /)]);
  expect(of('webhook-service')).toEqual(['unknown', 'WEBHOOK_GRPC_TARGET is not set here']);
  expect(of('database of identity-service')).toEqual([
    'ok',
    expect.stringMatching(/^\d+ of \d+ connections are used$/),
  ]);
  expect(of('public address')).toEqual(['ok', `the gateway responds at ${platform.publicUrl}`]);
  expect(of('mail')).toEqual(['ok', 'the mail server accepts the login']);
  expect(code).toBe(0);
});

test('doctor counts connections of other roles, even if its role cannot see their statements', async () => {
  const url = new URL(platform.databases.identity);
  const [role, password] = [`doctor_${randomBytes(6).toString('hex')}`, 'doctor'];
  await query(url.href, `CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
  const others = await Promise.all(Array.from({ length: 5 }, () => openClient(url.href)));
  [url.username, url.password] = [role, password];
  const { of } = await examine({ DATABASE_URL: url.href });
  await Promise.all(others.map((client) => client.end()));
  const [state, text = ''] = of('database of identity-service');
  expect(state).toBe('ok');
  expect(Number.parseInt(text, 10)).toBeGreaterThan(others.length);
});

test('doctor prints a table', async () => {
  const { code, out } = await runAdminProgram(['doctor'], healthy());
  expect(out).toMatch(/^Redis +ok +2 gateways count in it$/m);
  expect(out).toMatch(/^webhook-service +not checked +WEBHOOK_GRPC_TARGET is not set here$/m);
  expect(out).not.toMatch(/^.+ failed /m);
  expect(code).toBe(0);
});

test('doctor reports unreachable parts as failed without their passwords, and exits with 1', async () => {
  const port = await freePort();
  const { code, of, out } = await examine({
    BUSINESS_GRPC_TARGET: `ipv4:127.0.0.1:${port}`,
    DATABASE_URL: `postgresql://someone:hidden-word@127.0.0.1:${port}/none`,
    SMTP_URL: `smtp://someone:hidden-word@127.0.0.1:${port}`,
  });
  expect(of('business-service')).toEqual([
    'failed',
    expect.stringContaining(`no response at ipv4:127.0.0.1:${port}`),
  ]);
  expect(of('database of identity-service')).toEqual(['failed', expect.stringContaining('ECONNREFUSED')]);
  expect(of('mail')).toEqual([
    'failed',
    expect.stringMatching(/^no email goes out: no sign-up, no new password: .*ECONNREFUSED/),
  ]);
  expect(of('identity-service')[0]).toBe('ok');
  expect(out).not.toContain('hidden-word');
  expect(code).toBe(1);
});

test('doctor warns about a Redis that no gateway uses and about one that may evict', async () => {
  const redis: TestRedis = await startRedis();
  try {
    const unused = await examine({ REDIS_URL: redis.url });
    expect(unused.of('Redis')).toEqual(['warning', expect.stringContaining('no gateway counts in it')]);
    expect(unused.code).toBe(0);
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    expect((await examine({ REDIS_URL: redis.url })).of('Redis')).toEqual([
      'warning',
      expect.stringContaining('maxmemory-policy is allkeys-lru: noeviction'),
    ]);
  } finally {
    await redis.close();
  }
});

test.each([
  ['ahead', -30_000, /^its clock is (29|30|31)\.\d s ahead of the one here/],
  ['behind', 30_000, /^its clock is (29|30|31)\.\d s behind the one here/],
])('doctor warns about a clock that is %s', async (_, shift, text) => {
  const { of, code } = await examine({ ...shiftedClock(shift) });
  expect(of('database of identity-service')).toEqual(['warning', expect.stringMatching(text)]);
  expect(of('Redis')).toEqual(['warning', expect.stringMatching(text)]);
  expect(code).toBe(0);
});

test('doctor reports a public address where another server responds', async () => {
  const other: Server = createServer((_req, res) => res.end('welcome'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { of } = await examine({ PUBLIC_URL: origin });
    expect(of('public address')).toEqual([
      'failed',
      `${origin} responds with 200 where the gateway says 401`,
    ]);
  } finally {
    other.close();
  }
});

test('doctor fails for an unreachable public address, except in Kubernetes', async () => {
  const PUBLIC_URL = 'http://127.0.0.2:1';
  expect((await examine({ PUBLIC_URL })).of('public address')[0]).toBe('failed');
  const { of } = await examine({ PUBLIC_URL, KUBERNETES_SERVICE_HOST: '10.96.0.1' });
  expect(of('public address')).toEqual(['unknown', expect.stringContaining('try it with curl from outside')]);
});

const day = 86_400;

/** Services that speak TLS are not needed to look at a certificate. */
const nowhere = { IDENTITY_GRPC_TARGET: 'dns:///localhost:1', BUSINESS_GRPC_TARGET: 'dns:///localhost:1' };

test.each([
  ['ok', 100, 'the certificate is valid for 99 more days'],
  ['warning', 10, 'the certificate is valid for 9 more days: renew it'],
  ['failed', -1, 'the certificate expired on '],
])(
  'doctor reports %s for certificates between services that expire in %i days',
  async (state, days, text) => {
    const { env } = createAuthority().issue(['identity-service'], days * day);
    const { of } = await examine({ ...nowhere, ...env });
    expect(of('certificates between services')).toEqual([state, expect.stringContaining(text)]);
  },
);

test.each([
  ['the new authority after the old one', 0],
  ['the old authority after the new one', 1],
])('doctor accepts a certificate while its authority is being replaced: %s', async (_, last) => {
  const authorities = [createAuthority(), createAuthority()];
  const issued = authorities.map((authority) => authority.issue(['identity-service'], 100 * day));
  const { env, ca: own = '' } = issued[1] ?? {};
  const GRPC_TLS_CA = join(runDirectory().newDirectory('tls'), 'both.pem');
  const others = [issued[0]?.ca ?? '', own];
  writeFileSync(GRPC_TLS_CA, (last === 0 ? others : others.reverse()).join('\n'));
  const { of } = await examine({ ...nowhere, ...env, GRPC_TLS_CA });
  expect(of('certificates between services')[0]).toBe('ok');
});

test('doctor reports a certificate of another authority', async () => {
  const { env } = createAuthority().issue(['identity-service'], 100 * day);
  const { of } = await examine({
    ...nowhere,
    ...env,
    GRPC_TLS_CA: createAuthority().issue(['identity-service']).env.GRPC_TLS_CA,
  });
  expect(of('certificates between services')).toEqual([
    'failed',
    expect.stringContaining('was not issued by GRPC_TLS_CA'),
  ]);
});
