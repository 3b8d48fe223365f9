import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generateSecrets } from '../../deploy/local/secrets.ts';
import { createAuthority, serviceNames } from '../harness/certificates.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { type Production, startProduction } from '../harness/production.ts';
import { spawnService, type TestService } from '../harness/service.ts';
import { namedVariables, startToEnd } from '../harness/start-to-end.ts';

/** Containers without an IPv6 network have none on the loopback interface either. */
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

if (hasIpv6) {
  let platform: Production;
  let gateway: TestService;

  beforeAll(async () => {
    const { env } = createAuthority().issue(['::1', ...serviceNames]);
    const start = async (service: Parameters<typeof spawnService>[0], variables: Record<string, string>) => {
      const started = await spawnService(service, variables);
      if (service === 'gateway') gateway = started;
      return { stop: started.kill };
    };
    const envOf = { gateway: { TRUSTED_PROXIES: '::1, fd00::/8', OPS_HOST: '[::1]' } };
    platform = await startProduction({ host: '::1', start, env, envOf });
  });

  afterAll(() => platform.close());

  const get = (path: string, options: Parameters<typeof request>[3] = {}) =>
    request(platform.ports.gateway, 'GET', path, { host: '::1', ...options });

  test('every service listens on ::1 with mutual TLS', async () => {
    expect((await get('/v2/businesses/me', { key: platform.key })).status).toBe(200);
    expect((await get('/login')).status).toBe(200);
    const checks = { 'identity-service': 'ok', redis: 'ok' };
    await expectEventually(
      async () => {
        const ready = await request(gateway.ports.ops ?? 0, 'GET', '/readyz', { host: '::1' });
        expect(ready.json()).toMatchObject({ ready: true, checks });
      },
      { withinMs: 5_000 },
    );
  });

  test('no service listens on IPv4', async () => {
    await expect(request(platform.ports.gateway, 'GET', '/login')).rejects.toThrow('ECONNREFUSED');
  });

  test('trusted proxies are IPv6 addresses and networks, and so are clients', async () => {
    const path = '/v2/businesses/me';
    await get(path, { key: platform.key, headers: { 'X-Forwarded-For': '2001:db8::7, fd00::1' } });
    await expectEventually(
      () => expect(readFileSync(gateway.logFile, 'utf8')).toContain('"ip":"2001:db8::7"'),
      {
        withinMs: 5_000,
      },
    );
  });

  test('a gateway on :: serves IPv4 and IPv6', async () => {
    const both = await spawnService('gateway', {
      HTTP_HOST: '::',
      IDENTITY_GRPC_TARGET: '[::1]:1',
      IDENTITY_HTTP_ORIGINS: 'http://[::1]:1',
      BUSINESS_HTTP_ORIGINS: 'http://[::1]:1',
      GATEWAY_SECRET: platform.secrets.gatewaySecret,
      CREDENTIAL_TAG_KEYS: platform.secrets.credentialTagKey,
    });
    try {
      for (const host of ['::1', '127.0.0.1']) {
        const { status } = await request(both.ports.http ?? 0, 'GET', '/v2/order', { host });
        expect([host, status]).toEqual([host, 401]);
      }
    } finally {
      await both.kill();
    }
  });
} else {
  test('a service on a machine without IPv6 names the variable that requires it', async () => {
    const { code, output } = await startToEnd('gateway', {
      MODE: 'local',
      PORT: '0',
      OPS_PORT: '0',
      HTTP_HOST: '::1',
      IDENTITY_GRPC_TARGET: '127.0.0.1:1',
      IDENTITY_HTTP_ORIGINS: 'http://127.0.0.1:1',
      BUSINESS_HTTP_ORIGINS: 'http://127.0.0.1:1',
      GATEWAY_SECRET: generateSecrets().gatewaySecret,
      CREDENTIAL_TAG_KEYS: generateSecrets().credentialTagKey,
    });
    expect({ code, names: namedVariables(output) }).toEqual({ code: 78, names: ['HTTP_HOST'] });
  });
}
