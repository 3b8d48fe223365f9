import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import { Validator } from '@seriousme/openapi-schema-validator';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { operator, type TestApplication } from '../harness/applications.ts';
import { createBrowser, decode } from '../harness/browser.ts';
import { orderBody } from '../harness/business-platform.ts';
import { openDashboard } from '../harness/dashboard.ts';
import { eventually } from '../harness/eventually.ts';
import type { HttpAnswer } from '../harness/http-request.ts';
import { authorizeApplication, authorizePath, connect } from '../harness/oauth.ts';
import { type AnswerCheck, createAnswerCheck, type OpenApiDocument } from '../harness/openapi.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { type Platform, startPlatform } from '../harness/platform.ts';
import { query, startPostgres, type TestPostgres } from '../harness/postgres.ts';
import { plainAnswers } from '../harness/raw-answers.ts';
import { rawRequest } from '../harness/raw-request.ts';

/*
 * The public OpenAPI document says what the platform really answers: every operation, every status, every header, every
 * field. What it says and no test brings about fails, too.
 */

/** Gateways: one as it comes, one that does not wait, one with nobody behind it. */
const [usual, impatient, orphaned] = [0, 1, 2];

let postgres: TestPostgres;
let platform: Platform;
let owner: TestPerson;
let application: TestApplication;
let key: string;
let orderId: string;
let document: OpenApiDocument;
let check: AnswerCheck;
beforeAll(async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  postgres = await startPostgres();
  platform = await startPlatform({
    createDatabase: () => postgres.createDatabase(),
    gateways: 3,
    gatewayEnv: (index) => {
      if (index === impatient) return { UPSTREAM_TIMEOUT_MS: '400' };
      return index === orphaned ? { BUSINESS_HTTP_ORIGINS: nobody, IDENTITY_HTTP_ORIGINS: nobody } : {};
    },
  });
  owner = await signUpVerified(platform);
  const { businessId } = owner;
  application = await platform.createApplication({ businessId });
  key = (await platform.createKey({ businessId })).keyString;
  document = (await platform.request(usual, 'GET', '/docs/openapi.json')).json() as OpenApiDocument;
  check = createAnswerCheck(document);
  orderId = await newOrder();
});
afterAll(async () => {
  await platform.close();
  await postgres.close();
});

async function newOrder(): Promise<string> {
  const { headers } = await platform.request(usual, 'POST', '/v2/order', { key, body: orderBody });
  return String(headers.location).replace('/v2/order/', '');
}

/** Every answer that was seen to be as documented: `operationId status`. */
const seen = new Set<string>();
/** Every refusal that was given. */
const refusals: HttpAnswer[] = [];

/** Holds an answer against the document and notes it. @param status that was to be brought about */
function expectDocumented(method: string, path: string, answer: HttpAnswer, status: number): void {
  expect([method, path, answer.status, answer.text]).toEqual([method, path, status, expect.anything()]);
  const documented = check(method, path, answer);
  seen.add(`${documented.operationId} ${documented.status}`);
  if (status >= 400) refusals.push(answer);
  if (documented.status === 'default') expect([405, 411, 431]).toContain(status);
}

/** The operations for API keys and access tokens, with a request that each accepts. */
const operations = [
  { id: 'getCurrentBusiness', method: 'GET', path: () => '/v2/businesses/me', success: 200 },
  { id: 'listOrders', method: 'GET', path: () => '/v2/order', success: 200 },
  { id: 'createOrder', method: 'POST', path: () => '/v2/order', body: orderBody, success: 201 },
  { id: 'getOrder', method: 'GET', path: () => `/v2/order/${orderId}`, success: 200 },
  {
    id: 'changeOrder',
    method: 'PATCH',
    path: () => `/v2/order/${orderId}`,
    body: { status: 'pending' },
    success: 200,
  },
] as const;
type Operation = (typeof operations)[number];

interface Sent {
  readonly gateway?: number;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
  readonly path?: string;
}

const send = (operation: Operation, sent: Sent = {}) => {
  const { gateway = usual, path = operation.path(), ...rest } = sent;
  const body = 'body' in operation ? { body: operation.body } : {};
  return platform.request(gateway, operation.method, path, { key, ...body, ...rest });
};

const brings = async (operation: Operation, status: number, sent: Sent = {}) => {
  const answer = await send(operation, sent);
  expectDocumented(operation.method, sent.path ?? operation.path(), answer, status);
  return answer;
};

const scopeOf = ({ method, path }: Operation): string => {
  const template = path().replace(orderId, '{id}');
  const [first, second] = document.paths[template]?.[method.toLowerCase()]?.security ?? [];
  expect([first, second]).toEqual([{ apiKey: [expect.any(String)] }, { oauth2: first?.apiKey }]);
  return first?.apiKey?.[0] ?? '';
};

test('the document is valid OpenAPI 3.1, and names the address that it was asked at', async () => {
  expect(await new Validator().validate(structuredClone({ ...document }))).toEqual({ valid: true });
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: platform.publicUrl }] });
});

test('every route to business-service is documented, with each of its methods', () => {
  const file = fileURLToPath(new URL('../../gateway/src/routes/routes.ts', import.meta.url));
  const text = readFileSync(file, 'utf8');
  const rows = [...text.matchAll(/path: '([^']+)', upstream: 'business', methods: \{(.*?)\}/g)];
  expect(rows.length).toBe(text.split("upstream: 'business',").length - 1);
  const routes = rows.flatMap(([, path, methods = '']) =>
    [...methods.matchAll(/([A-Z]+):/g)].map(([, method]) => `${method} ${path}`),
  );
  const documented = operations.map(({ method, path }) => `${method} ${path().replace(orderId, '{id}')}`);
  expect(routes.toSorted()).toEqual(documented.toSorted());
});

test.each(['/v2/businesses/me', '/v2/order', '/v2/order/{id}'])(
  '%s answers the methods that are documented, and no other',
  async (template) => {
    const documented = Object.keys(document.paths[template] ?? {}).filter((name) => name !== 'parameters');
    const path = template.replace('{id}', orderId);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await platform.request(usual, method, path, { key, body: {} });
      if (documented.includes(method.toLowerCase())) expect(answer.status).not.toBe(405);
      else expect([method, answer.status]).toEqual([method, 405]);
      if (answer.status === 405) refusals.push(answer);
    }
  },
);

describe.each(operations)('$id', (operation) => {
  test('success, with the hour that is left', async () => {
    await brings(operation, operation.success);
  });

  test('400: a request with two credentials', async () => {
    const { keyString } = await platform.createKey({ businessId: owner.businessId });
    const headers = { Authorization: [`Bearer ${keyString}`, `Bearer ${keyString}`] };
    const answer = await platform.request(usual, operation.method, operation.path(), {
      headers,
      ...('body' in operation && { body: operation.body }),
    });
    expectDocumented(operation.method, operation.path(), answer, 400);
  });

  test('401: nothing, nonsense, and what is over', async () => {
    for (const bearer of ['nonsense', createCheckedToken('sk'), createCheckedToken('at')]) {
      await brings(operation, 401, { key: bearer });
    }
    const body = 'body' in operation ? { body: operation.body } : {};
    const { method, path } = operation;
    expectDocumented(method, path(), await platform.request(usual, method, path(), body), 401);
  });

  test('403: exactly its documented scope is asked for', async () => {
    const { businessId } = owner;
    const scope = scopeOf(operation);
    const others = ['business:read', 'events:read', 'orders:read', 'orders:write'].filter(
      (each) => each !== scope,
    );
    const without = await platform.createKey({ businessId, type: 'restricted', scopes: others });
    const refused = await brings(operation, 403, { key: without.keyString });
    expect(refused.headers['www-authenticate']).toContain(`scope="${scope}"`);
    const exact = await platform.createKey({ businessId, type: 'restricted', scopes: [scope] });
    await brings(operation, operation.success, { key: exact.keyString });
  });

  test('429', async () => {
    const limited = await platform.createKey({ businessId: owner.businessId });
    await platform.setKeyLimit(limited, 1);
    await brings(operation, operation.success, { key: limited.keyString });
    await brings(operation, 429, { key: limited.keyString });
  });

  test('502 and 504: nobody answers, or not in time', async () => {
    await brings(operation, 502, { gateway: orphaned });
    platform.businesses[0]?.freeze();
    try {
      await brings(operation, 504, { gateway: impatient });
    } finally {
      platform.businesses[0]?.thaw();
    }
  });

  test('anything else: headers that are too large', async () => {
    await brings(operation, 431, { headers: { 'X-Large': 'x'.repeat(20_000) } });
  });
});

const named = (id: Operation['id']): Operation => {
  const operation = operations.find((candidate) => candidate.id === id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  return operation;
};

describe('expired credentials', () => {
  test('401 for an API key and for an access token', async () => {
    const { businessId } = owner;
    const expired = await platform.createKey({ businessId, expiresAt: new Date(Date.now() + 3_600_000) });
    const { accessToken } = await connect(platform, owner.browser, application);
    const past = "now() - interval '1 second'";
    const { identity } = platform.databases;
    await query(identity, `UPDATE api_keys SET expires_at = ${past} WHERE id = $1`, [expired.id]);
    await query(identity, `UPDATE access_tokens SET expires_at = ${past}`);
    const answers = [
      await brings(named('listOrders'), 401, { key: expired.keyString }),
      await brings(named('listOrders'), 401, { key: accessToken }),
    ];
    expect(answers.map((answer) => answer.json())).toMatchObject([
      { error: 'API key has expired' },
      { error: 'Access token has expired' },
    ]);
  });
});

describe('403 for other reasons than the scope', () => {
  test('an address that is not on the whitelist', async () => {
    const elsewhere = await platform.createApplication({ businessId: platform.businessId });
    const { accessToken } = await connect(platform, owner.browser, elsewhere);
    const change = { ipWhitelist: { values: ['203.0.113.9'] } };
    const which = { actor: operator, businessId: elsewhere.businessId, applicationId: elsewhere.id };
    await platform.applicationRpc.UpdateApplication({ ...which, ...change }, { deadlineMs: 10_000 });
    await brings(named('getCurrentBusiness'), 403, { key: accessToken });
  });

  test('a business that is frozen', async () => {
    const dashboard = await openDashboard(owner, owner.browser);
    await dashboard.own('PUT', '/freeze', { reason: 'a key may have leaked' });
    try {
      await brings(named('createOrder'), 403);
    } finally {
      await dashboard.own('DELETE', '/freeze');
    }
  });

  test('a business that is banned, which may still read itself', async () => {
    await platform.banBusiness(owner.businessId);
    try {
      await eventually(() => brings(named('listOrders'), 403), { withinMs: 5_000 });
      await brings(named('getCurrentBusiness'), 200);
    } finally {
      await platform.unbanBusiness(owner.businessId);
    }
  });
});

describe('orders', () => {
  test('201 and 409 with an Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'once' };
    const first = await brings(named('createOrder'), 201, { headers });
    const again = await brings(named('createOrder'), 201, { headers });
    expect(again.text).toBe(first.text);
    await brings(named('createOrder'), 409, { headers, body: { ...orderBody, currency: 'USD' } });
  });

  test('every state, and 409 for a step that there is not', async () => {
    const path = `/v2/order/${await newOrder()}`;
    for (const status of ['paid', 'fulfilled'])
      await brings(named('changeOrder'), 200, { path, body: { status } });
    await brings(named('getOrder'), 200, { path });
    await brings(named('changeOrder'), 409, { path, body: { status: 'paid' } });
    const cancelled = `/v2/order/${await newOrder()}`;
    await brings(named('changeOrder'), 200, { path: cancelled, body: { status: 'cancelled' } });
    await brings(named('changeOrder'), 409, { path: cancelled, body: { status: 'paid' } });
  });

  test('400 names what is wrong with a parameter', async () => {
    await brings(named('listOrders'), 400, { path: '/v2/order?limit=0' });
  });

  test('pages, first and last', async () => {
    const first = await brings(named('listOrders'), 200, { path: '/v2/order?limit=1' });
    const { next_cursor: cursor } = first.json() as { next_cursor: string };
    expect(cursor).toEqual(expect.any(String));
    const last = await brings(named('listOrders'), 200, { path: `/v2/order?limit=100&cursor=${cursor}` });
    expect(last.json()).toMatchObject({ next_cursor: null });
  });

  test.each(['getOrder', 'changeOrder'] as const)('%s: 404', async (id) => {
    for (const path of ['/v2/order/nothing', `/v2/order/ord_${'0'.repeat(20)}`]) {
      await brings(named(id), 404, { path });
    }
  });

  test.each(['createOrder', 'changeOrder'] as const)('%s: 400, 411, 413 and 415 for its body', async (id) => {
    const operation = named(id);
    await brings(operation, 400, { body: '{', headers: { 'Content-Type': 'application/json' } });
    await brings(operation, 413, { body: { metadata: { a: 'x'.repeat(300_000) } } });
    await brings(operation, 415, { headers: { 'Content-Type': 'text/plain' } });
    const head = `${operation.method} ${operation.path()} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    expectDocumented(operation.method, operation.path(), await rawAnswer(head), 411);
  });

  test('a business that is no more: 404', async () => {
    const { id, keyString } = await platform.createKey();
    const moved = 'UPDATE api_keys SET business_id = 2000000000 WHERE id = $1';
    await query(platform.databases.identity, moved, [id]);
    await brings(named('getCurrentBusiness'), 404, { key: keyString });
  });
});

/** The first answer to bytes as they are. */
async function rawAnswer(bytes: string): Promise<HttpAnswer> {
  const { text: received } = await rawRequest(platform.gatewayPorts[usual] ?? 0, bytes);
  const [answer] = plainAnswers(received);
  if (answer === undefined) throw new Error(`no answer, but: ${received}`);
  const { status, headers, text } = answer;
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { status, headers: lower, rawHeaders: [], text, json: () => JSON.parse(text) };
}

const json = { 'Content-Type': 'application/json' };
const tokenPath = '/v2/oauth/token';
const revokePath = '/v2/oauth/revoke';

const clientFields = () => ({ client_id: application.clientId, client_secret: application.clientSecret });
const post = (path: string, fields: Readonly<Record<string, unknown>>, gateway = usual) =>
  platform.request(gateway, 'POST', path, { body: { ...clientFields(), ...fields } });
const postBrings = async (
  status: number,
  path: string,
  fields: Readonly<Record<string, unknown>>,
  gateway = usual,
) => {
  const answer = await post(path, fields, gateway);
  expectDocumented('POST', path, answer, status);
  return answer.json() as Readonly<Record<string, string>>;
};
const exchange = async () => {
  const { code, verifier } = await authorizeApplication(owner.browser, application);
  return postBrings(200, tokenPath, { grant_type: 'authorization_code', code, code_verifier: verifier });
};

describe('token and revocation endpoint', () => {
  test('a pair for a code and for a refresh token, by JSON, form and Basic; then both revoked', async () => {
    const pair = await exchange();
    const grant = { grant_type: 'refresh_token', refresh_token: pair.refresh_token };
    const refreshed = await postBrings(200, tokenPath, grant);
    const { client_id: id, client_secret: secret } = clientFields();
    const answer = await platform.request(usual, 'POST', tokenPath, {
      headers: {
        Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: String(new URLSearchParams({ ...grant, refresh_token: refreshed.refresh_token ?? '' })),
    });
    expectDocumented('POST', tokenPath, answer, 200);
    await postBrings(200, revokePath, { token: refreshed.access_token, token_type: 'access_token' });
    await postBrings(200, revokePath, { token: 'unknown' });
  });

  test('400 of every kind', async () => {
    const { refresh_token: token } = await exchange();
    const foreign = await platform.createApplication({ businessId: platform.businessId });
    const asForeign = { client_id: foreign.clientId, client_secret: foreign.clientSecret };
    const errors = [
      await postBrings(400, tokenPath, {
        grant_type: 'authorization_code',
        code: 'ac_x',
        code_verifier: 'short',
      }),
      await postBrings(400, tokenPath, {
        grant_type: 'authorization_code',
        code: 'ac_x',
        code_verifier: 'v'.repeat(43),
      }),
      await postBrings(400, tokenPath, { grant_type: 'refresh_token', refresh_token: 'rt_x' }),
      await postBrings(400, tokenPath, {
        grant_type: 'refresh_token',
        refresh_token: token,
        scope: 'orders:write',
      }),
      await postBrings(400, tokenPath, { grant_type: 'password' }),
      await postBrings(400, revokePath, {}),
      await postBrings(400, revokePath, { ...asForeign, token }),
    ];
    expect(errors.map(({ error }) => error)).toEqual([
      ...['invalid_request', 'invalid_grant', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
      ...['invalid_request', 'invalid_grant'],
    ]);
  });

  test.each([tokenPath, revokePath])('%s: 401, 411, 413, and 400 of the gateway', async (path) => {
    await postBrings(401, path, { client_secret: 'wrong' });
    await postBrings(413, path, { token: 'x'.repeat(70_000) });
    const twice = { ...json, Authorization: ['Basic eDp5', 'Basic eDp5'] };
    expectDocumented(
      'POST',
      path,
      await platform.request(usual, 'POST', path, { headers: twice, body: '{}' }),
      400,
    );
    expectDocumented('POST', path, await rawAnswer(`POST ${path} HTTP/1.1\r\nHost: x\r\n\r\n`), 411);
  });

  test.each([tokenPath, revokePath])('%s: 429', async (path) => {
    await post(path, {});
    await exhaustThrottles();
    await postBrings(429, path, {});
    await query(platform.databases.identity, 'DELETE FROM throttle_counts');
  });
});

/** As if everybody had asked as often as they may, and more. */
const exhaustThrottles = () =>
  query(platform.databases.identity, 'UPDATE throttle_counts SET count = 2000000000');

const metadataPath = '/.well-known/oauth-authorization-server';

describe('authorization page and metadata', () => {
  const ask = async (status: number, path: string, browser = owner.browser) => {
    const answer = await browser.send('GET', path);
    expectDocumented('GET', path, answer, status);
    return String(answer.headers.location);
  };
  const strangerAt = (gateway: number) => createBrowser(platform.gatewayPorts[gateway] ?? 0);

  test('a page, the login, and back to the application', async () => {
    const another = await platform.createApplication({ businessId: platform.businessId });
    await ask(200, authorizePath(another));
    expect(await ask(303, authorizePath(another), strangerAt(usual))).toMatch(/^\/login\?/);
    const back = await ask(303, authorizePath(another, { response_type: 'token' }));
    expect(back).toMatch(/^https:\/\/app\.example\/callback\?error=unsupported_response_type/);
  });

  test('400: a page, or the gateway', async () => {
    await ask(400, authorizePath(application, { client_id: 'app_unknown' }));
    await ask(400, authorizePath(application, { redirect_uri: 'https://elsewhere.example/' }));
    const path = authorizePath(application);
    const headers = { Authorization: ['Bearer a', 'Bearer b'] };
    expectDocumented('GET', path, await platform.request(usual, 'GET', path, { headers }), 400);
  });

  test('429', async () => {
    await strangerAt(usual).send('GET', authorizePath(application));
    await exhaustThrottles();
    await ask(429, authorizePath(application), strangerAt(usual));
    await query(platform.databases.identity, 'DELETE FROM throttle_counts');
  });

  test('the metadata, and 400', async () => {
    expectDocumented('GET', metadataPath, await platform.request(usual, 'GET', metadataPath), 200);
    const headers = { Authorization: ['Bearer a', 'Bearer b'] };
    expectDocumented(
      'GET',
      metadataPath,
      await platform.request(usual, 'GET', metadataPath, { headers }),
      400,
    );
  });

  test.each(['/oauth/authorize', metadataPath])('%s: anything else', async (path) => {
    const headers = { 'X-Large': 'x'.repeat(20_000) };
    expectDocumented('GET', path, await platform.request(usual, 'GET', path, { headers }), 431);
  });
});

describe('the OAuth operations while identity-service', () => {
  const all = [
    ['GET', '/oauth/authorize'],
    ['GET', metadataPath],
    ['POST', tokenPath],
    ['POST', revokePath],
  ] as const;
  const askAll = async (gateway: number, status: number) => {
    for (const [method, path] of all) {
      const body = method === 'POST' ? { body: clientFields() } : {};
      expectDocumented(method, path, await platform.request(gateway, method, path, body), status);
    }
  };

  test('is not there: 502', () => askAll(orphaned, 502));

  test('is silent: 504', async () => {
    platform.identities[0]?.freeze();
    try {
      await askAll(impatient, 504);
    } finally {
      platform.identities[0]?.thaw();
    }
  });
});

test('503 for everybody while PostgreSQL is gone', async () => {
  const unknown = createCheckedToken('sk');
  await postgres.stop();
  for (const operation of operations) {
    await brings(operation, 503);
    await brings(operation, 503, { key: unknown });
  }
  await postBrings(503, tokenPath, {});
  await postBrings(503, revokePath, {});
  const path = authorizePath(application);
  expectDocumented('GET', path, await platform.request(usual, 'GET', path), 503);
});

/** Documented, and not to be brought about from outside. */
const outOfReach: Readonly<Record<string, string>> = {
  'getAuthorizationServerMetadata 503':
    'needs no database; the gateway says so when thousands wait for identity-service',
};

test('everything that is documented was brought about', () => {
  const documented = Object.values(document.paths).flatMap((item) =>
    Object.entries(item)
      .filter(([name]) => name !== 'parameters')
      .flatMap(([, { operationId, responses }]) =>
        Object.keys(responses).map((status) => `${operationId} ${status}`),
      ),
  );
  expect(documented.filter((each) => !seen.has(each))).toEqual(Object.keys(outOfReach));
  expect([...seen].filter((each) => !documented.includes(each))).toEqual([]);
});

/** Answers as the page of errors shows them: status line, headers, body. */
async function shownAnswers(): Promise<{ status: number; headers: string[][]; body: string }[]> {
  const { text } = await platform.request(usual, 'GET', '/docs/errors');
  return [...text.matchAll(/<code class="language-http">(.*?)<\/code>/gs)].map(([, block = '']) => {
    const [head = '', body = ''] = decode(block).trim().split('\n\n');
    const [statusLine = '', ...lines] = head.split('\n');
    return { status: Number(statusLine.split(' ')[1]), headers: lines.map((line) => line.split(': ')), body };
  });
}

/** Shown, and not to be brought about. */
const neverGiven = [
  '{"error":"unexpected error","status":"Internal Server Error","code":500}',
  '{"error":"unauthorized_client","error_description":"…"}',
];
/** Numbers are another time others. */
const shape = (value: unknown) => String(value).replace(/\d+/g, '0');

test('every answer that the page of errors shows was given so, with these headers', async () => {
  const shown = (await shownAnswers()).filter(({ body }) => !neverGiven.includes(body));
  expect(shown.length).toBeGreaterThan(20);
  for (const { status, headers, body } of shown) {
    const given = refusals.filter((answer) => answer.status === status && answer.text === body);
    const matching = given.filter((answer) =>
      headers.every(([name = '', value]) => shape(answer.headers[name.toLowerCase()]) === shape(value)),
    );
    expect([status, body, headers, matching.length > 0]).toEqual([status, body, headers, true]);
  }
});
