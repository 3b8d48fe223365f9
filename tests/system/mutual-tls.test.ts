import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Client, type ServiceDefinition, type ServiceError, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as business from '@platform/protos/business';
import { callers } from '@platform/protos/callers';
import * as identity from '@platform/protos/identity';
import * as webhook from '@platform/protos/webhook';
import { createGrpcClient } from '@platform/service-kit/grpc/client.ts';
import { channelCredentials } from '@platform/service-kit/grpc/tls.ts';
import type { ServiceName } from '../../deploy/local/process/service.ts';
import { createBrowser } from '../harness/browser.ts';
import { orderBody } from '../harness/business-platform.ts';
import { type Authority, type Certificate, createAuthority } from '../harness/certificates.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { request } from '../harness/http-request.ts';
import { gatewayPatience } from '../harness/patience.ts';
import { query } from '../harness/postgres.ts';
import { type Production, startProduction } from '../harness/production.ts';
import { spawnService, type TestService } from '../harness/service.ts';

const addedMethod = 'identity.v1.OriginService/ListAllowedOrigins';

let authority: Authority;
let certificate: Certificate;
let platform: Production;

beforeAll(async () => {
  authority = createAuthority();
  // Of no service; each has one of its own.
  certificate = authority.issue(['127.0.0.1', 'stranger']);
  const own = (name: ServiceName, more = {}) => ({ ...authority.issue(['127.0.0.1', name]).env, ...more });
  const start = async (
    service: Parameters<typeof spawnService>[0],
    env: Readonly<Record<string, string>>,
  ) => {
    const { kill } = await spawnService(service, env);
    return { stop: kill };
  };
  platform = await startProduction({
    host: '127.0.0.1',
    start,
    env: certificate.env,
    envOf: {
      gateway: own('gateway'),
      'identity-service': own('identity-service', {
        GRPC_CALLERS: `billing=${addedMethod}`,
        CANARY_BUSINESS_ID: '1',
      }),
      'business-service': own('business-service'),
      'webhook-service': own('webhook-service'),
    },
  });
});

afterAll(() => platform.close());

test('API requests, bodies and pages pass the gateway when every service asks for certificates', async () => {
  const { ports, key } = platform;
  expect((await request(ports.gateway, 'GET', '/v2/businesses/me', { key })).status).toBe(200);
  expect((await request(ports.gateway, 'POST', '/v2/order', { key, body: orderBody })).status).toBe(201);
  const browser = createBrowser(ports.gateway);
  expect((await browser.open('/login')).status).toBe(200);
  const token = await request(ports.gateway, 'POST', '/v2/oauth/token', {
    body: { grant_type: 'refresh_token' },
  });
  expect(token.json()).toMatchObject({ error: 'invalid_request' });
});

/** Status of a request that a client with these certificates sends to a service; the error's code when there is none. */
function direct(port: number, { cert, key }: Partial<Certificate>): Promise<number | string | undefined> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/login', ca: certificate.ca, cert, key, agent: false };
    httpsRequest(options, (res) => resolve(res.resume().statusCode))
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
      .end();
  });
}

describe.each(['identityHttp', 'businessHttp'] as const)('%s', (name) => {
  const port = () => platform.ports[name];

  test('a client with a certificate of the authority is accepted', async () => {
    expect([401, 404]).toContain(await direct(port(), certificate));
  });

  test.each([
    ['without a certificate', () => ({})],
    ['with a certificate of another authority', () => createAuthority().issue(['127.0.0.1'])],
    ['with a certificate that has ended', () => authority.issue(['127.0.0.1'], -3_600)],
  ])('a client %s is refused before HTTP', async (_, shown) => {
    expect(await direct(port(), shown())).toMatch(/^(ERR_SSL_\w+|ECONNRESET|EPIPE)$/);
  });

  test('plain text is refused', async () => {
    // By a port that serves clients who speak TLS.
    expect([401, 404]).toContain(await direct(port(), certificate));
    await expect(request(port(), 'GET', '/login')).rejects.toThrow();
  });
});

/** Reaction of a gRPC server after the handshake: `data` for its first frame, or the code with which it ends. */
function frameFrom(port: number, { cert, key }: Partial<Certificate>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, ca: certificate.ca, cert, key, ALPNProtocols: ['h2'] };
    const socket = connectTls(options);
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    socket.on('close', () => resolve('closed'));
    socket.once('data', () => {
      resolve('data');
      socket.destroy();
    });
  });
}

describe('a gRPC method', () => {
  const served = [
    ...[...Object.values(identity)].map((service) => ({ port: 'identityGrpc' as const, service })),
    ...[...Object.values(business)].map((service) => ({ port: 'businessGrpc' as const, service })),
    ...[...Object.values(webhook)].map((service) => ({ port: 'webhookGrpc' as const, service })),
  ];
  const methods = served.flatMap(({ port, service }) =>
    Object.values(service as ServiceDefinition).map(({ path, responseStream }) => ({
      port,
      method: path.slice(1),
      responseStream,
    })),
  );
  const names = ['gateway', 'identity-service', 'business-service', 'webhook-service', 'billing'];

  const tlsOf = (name: string) => {
    const { ca, cert, key } = authority.sign([name]);
    return { kind: 'mutual', ca: Buffer.from(ca), cert: Buffer.from(cert), key: Buffer.from(key) } as const;
  };
  const clients = new Map<string, Client>();
  const clientOf = (port: number, name: string): Client => {
    const id = `${port} ${name}`;
    const client = clients.get(id) ?? new Client(`127.0.0.1:${port}`, channelCredentials(tlsOf(name)));
    clients.set(id, client);
    return client;
  };
  afterAll(() => {
    for (const client of clients.values()) client.close();
  });

  /** Names whose certificates a method does not refuse; its request is empty. */
  async function admitted(port: number, method: string, streams: boolean): Promise<string[]> {
    const bytes = Buffer.alloc(0);
    const codeFor = (client: Client) =>
      new Promise<number>((resolve) => {
        const deadline = Date.now() + 30_000;
        const call = client.makeServerStreamRequest(
          `/${method}`,
          () => bytes,
          () => null,
          null,
          { deadline },
        );
        call.once('data', () => call.cancel()).once('end', () => resolve(status.OK));
        call.on('error', (error: ServiceError) => resolve(error.code));
      });
    let isOver = false;
    const all = Promise.all(names.map((name) => codeFor(clientOf(port, name)))).finally(() => {
      isOver = true;
    });
    // A stream of events says nothing before there is one.
    while (streams && !isOver) {
      await request(platform.ports.gateway, 'POST', '/v2/order', { key: platform.key, body: orderBody });
    }
    const codes = await all;
    expect(codes).not.toContain(status.DEADLINE_EXCEEDED);
    return names.filter((_, index) => codes[index] !== status.PERMISSION_DENIED);
  }

  test.each(methods)('$method admits only callers in the table', async ({ port, method, responseStream }) => {
    const row = callers[method] ?? callers[method.split('/')[0] ?? ''] ?? [];
    const added = method === addedMethod ? ['billing'] : [];
    const expected = names.filter((name) => [...row, ...added].includes(name));
    expect(await admitted(platform.ports[port], method, responseStream)).toEqual(expected);
  });

  test('creates keys for the canary of its own business only, and records that in the audit log', async () => {
    const taking = (businessId: number) => {
      const target = `ipv4:127.0.0.1:${platform.ports.identityGrpc}`;
      const { rpc, close } = createGrpcClient(identity.canaryKeyService, { target, tls: tlsOf('canary') });
      const wanted = { businessId, name: 'canary', scopes: ['business:read'], limit: 10 };
      return rpc.TakeKey(wanted, { deadlineMs: 30_000 }).finally(close);
    };
    await expect(taking(2)).rejects.toMatchObject({ kind: 'permission_denied' });
    const [first, second] = [await taking(1), await taking(1)];
    expect(second.apiKeyId).toBe(first.apiKeyId);
    const { gateway } = platform.ports;
    const statusOf = async (key: string) =>
      (await request(gateway, 'GET', '/v2/businesses/me', { key })).status;
    expect([await statusOf(first.keyString), await statusOf(second.keyString)]).toEqual([401, 200]);
    const text = 'SELECT DISTINCT actor_kind, actor_id FROM audit_events WHERE subject_id = $1';
    expect(await query(platform.identityDatabase, text, [first.apiKeyId])).toEqual([
      { actor_kind: 'system', actor_id: 'canary' },
    ]);
  });
});

test.each(['identityGrpc', 'businessGrpc'] as const)(
  '%s accepts only clients with a certificate of the authority',
  async (name) => {
    const port = platform.ports[name];
    expect(await frameFrom(port, certificate)).toBe('data');
    const refused = [{}, createAuthority().issue(['127.0.0.1']), authority.issue(['127.0.0.1'], -3_600)];
    for (const shown of refused) {
      expect(await frameFrom(port, shown)).toMatch(/^(ERR_SSL_\w+|ECONNRESET|EPIPE|closed)$/);
    }
  },
);

/** An upstream in the place of identity-service; counts what it hears. */
async function tlsUpstream(
  { ca, cert, key }: Certificate,
  response: (req: IncomingMessage) => object = () => ({}),
) {
  const seen = { requests: 0, connections: 0, resumed: 0 };
  const server = createServer({ ca, cert, key, requestCert: true }, (req, res) => {
    seen.requests++;
    res.writeHead(200, { ...response(req) }).end('hello');
  });
  // Longer than a busy machine may take between two requests.
  server.keepAliveTimeout = 60_000;
  server.on('secureConnection', (socket) => {
    seen.connections++;
    if (socket.isSessionReused()) seen.resumed++;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { server, seen, port, close };
}

/** A gateway alone, whose pages come from these origins. */
function loneGateway(...origins: string[]): Promise<TestService> {
  return spawnService('gateway', {
    MODE: 'production',
    ...authority.issue(['gateway']).env,
    IDENTITY_GRPC_TARGET: `ipv4:127.0.0.1:${platform.ports.identityGrpc}`,
    IDENTITY_HTTP_ORIGINS: origins.join(','),
    BUSINESS_HTTP_ORIGINS: origins.join(','),
    GATEWAY_SECRET: platform.secrets.gatewaySecret,
    CREDENTIAL_TAG_KEYS: platform.secrets.credentialTagKey,
    REDIS_URL: 'redis://127.0.0.1:1',
    PUBLIC_URL: 'https://api.test',
    ...gatewayPatience,
    // Short enough to be waited for.
    UPSTREAM_TIMEOUT_MS: '7500',
  });
}

const logIn = (gateway: TestService) =>
  request(gateway.ports.http ?? 0, 'POST', '/login', { body: 'email=ada%40people.test&password=wheels' });

test.each([
  [
    'of another authority',
    () => createAuthority().issue(['localhost']),
    /UNABLE_TO_VERIFY|SELF_SIGNED|SIGNATURE/,
  ],
  ['for another name', () => authority.issue(['identity-service']), /ERR_TLS_CERT_ALTNAME_INVALID/],
  ['that has ended', () => authority.issue(['localhost'], -3_600), /CERT_HAS_EXPIRED/],
])(
  'an upstream with a certificate %s gets no request, and the gateway responds with 502 and logs the reason',
  async (_, issued, reason) => {
    const upstream = await tlsUpstream(issued());
    const gateway = await loneGateway(`https://localhost:${upstream.port}`);
    try {
      // Twice: what the first handshake left must not help the second.
      for (const _attempt of [1, 2]) {
        const { status, text } = await logIn(gateway);
        expect([status, text]).toEqual([502, expect.not.stringContaining('certificate')]);
      }
      expect(upstream.seen.requests).toBe(0);
      await expectEventually(() => expect(readFileSync(gateway.logFile, 'utf8')).toMatch(reason), {
        withinMs: 5_000,
      });
    } finally {
      await gateway.kill();
      upstream.close();
    }
  },
);

test.each([
  ['speaks plain text', 'hello', 502],
  ['says nothing', '', 504],
])('an upstream that %s gives a gateway error', async (_, words, status) => {
  const upstream = createTcpServer((socket) => socket.on('error', () => undefined).write(words));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const address = upstream.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const gateway = await loneGateway(`https://127.0.0.1:${port}`);
  try {
    expect((await logIn(gateway)).status).toBe(status);
  } finally {
    await gateway.kill();
    upstream.close();
  }
});

test('connections are kept, and new ones resume the TLS session', async () => {
  const upstream = await tlsUpstream(authority.issue(['localhost']), (req) =>
    req.url === '/login?last' ? { Connection: 'close' } : {},
  );
  const gateway = await loneGateway(`https://localhost:${upstream.port}`);
  const get = (path: string) => request(gateway.ports.http ?? 0, 'GET', path);
  try {
    for (const path of ['/login', '/login', '/login?last', '/login', '/login']) {
      expect((await get(path)).status).toBe(200);
    }
    expect(upstream.seen).toMatchObject({ requests: 5, connections: 2, resumed: 1 });
  } finally {
    await gateway.kill();
    upstream.close();
  }
});
