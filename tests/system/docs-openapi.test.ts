import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { codeBlocks } from '../harness/documentation-pages.ts';
import { authorizePath } from '../harness/oauth.ts';
import { unissued } from '../harness/refused-bearers.ts';
import { describeLeaks, githubPath, leaksPath, selfRevokePath } from './docs-openapi/describe-leaks.ts';
import { describeOAuth, postBrings, revokePath, tokenPath } from './docs-openapi/describe-oauth.ts';
import { describeOperations } from './docs-openapi/describe-operations.ts';
import { brings, operations } from './docs-openapi/operations.ts';
import {
  application,
  document,
  expectDocumented,
  key,
  keysPath,
  orderId,
  platform,
  postgres,
  refusals,
  seen,
  start,
  stop,
  usual,
} from './docs-openapi/stage.ts';

/*
 * The public OpenAPI document describes the real responses of the platform: every operation, every status, every header, every
 * field. A documented response that no test brings about fails, too.
 */

beforeAll(start);
afterAll(stop);

test('the document is valid OpenAPI 3.1, and names the address that it was asked at', async () => {
  expect(await new Validator().validate(structuredClone({ ...document }))).toEqual({ valid: true });
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: platform.publicUrl }] });
});

test.each([
  '/v2/businesses/me',
  '/v2/order',
  '/v2/order/{id}',
  '/v2/customers',
  '/v2/events',
  '/v2/rate-limit',
  leaksPath,
  githubPath,
])('%s responds to the methods that are documented, and no other', async (template) => {
  const documented = Object.keys(document.paths[template] ?? {}).filter((name) => name !== 'parameters');
  const path = template.replace('{id}', orderId);
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const response = await platform.request(usual, method, path, { key, body: {} });
    if (documented.includes(method.toLowerCase())) expect(response.status).not.toBe(405);
    else expect([method, response.status]).toEqual([method, 405]);
    if (response.status === 405) refusals.push(response);
  }
});

describeOperations();
describeOAuth();
describeLeaks();

const limitPath = '/v2/rate-limit';

test('every operation responds with 503 while PostgreSQL is stopped', async () => {
  const unknown = unissued(platform, 'sk');
  await postgres.stop();
  for (const operation of operations) {
    await brings(operation, 503);
    await brings(operation, 503, { key: unknown });
  }
  expectDocumented('GET', limitPath, await platform.request(usual, 'GET', limitPath, { key: unknown }), 503);
  await postBrings(503, tokenPath, {});
  await postBrings(503, revokePath, {});
  const sent = {
    [selfRevokePath]: { key: unknown },
    [leaksPath]: { body: { strings: ['x'] } },
    [githubPath]: { body: [] },
  };
  for (const [path, given] of Object.entries(sent)) {
    expectDocumented('POST', path, await platform.request(usual, 'POST', path, given), 503);
  }
  const path = authorizePath(application);
  for (const each of [path, keysPath]) {
    expectDocumented('GET', each, await platform.request(usual, 'GET', each), 503);
  }
});

/** Documented, and not to be brought about from outside. */
const outOfReach: Readonly<Record<string, string>> = {
  'reportGithubLeaks 404': 'the platform of these tests takes such reports',
  'getAuthorizationServerMetadata 503':
    'needs no database; the gateway says so when thousands wait for identity-service',
};

test('every documented response was received in a test', () => {
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

/** Responses as the page of errors shows them: status line, headers, body. */
async function shownResponses(): Promise<{ status: number; headers: string[][]; body: string }[]> {
  const { text } = await platform.request(usual, 'GET', '/docs/errors');
  return codeBlocks(text, 'http').map((block) => {
    const [head = '', body = ''] = block.trim().split('\n\n');
    const [statusLine = '', ...lines] = head.split('\n');
    return { status: Number(statusLine.split(' ')[1]), headers: lines.map((line) => line.split(': ')), body };
  });
}

/** Shown, and not to be brought about. */
const neverGiven = [
  '{"error":"unexpected error","status":"Internal Server Error","code":500}',
  '{"error":"unauthorized_client","error_description":"…"}',
];
/** The page says once that each OAuth error has an error_uri. */
const withoutUri = (text: string) => text.replace(/,"error_uri":"[^"]*"/, '');

/** Numbers are another time others. */
const shape = (value: unknown) => String(value).replace(/\d+/g, '0');

/** To handshakes of WebSockets alone: gateway/src/forwarding/websocket.test.ts. */
const isOfWebSockets = (headers: readonly string[][]) =>
  headers.some(([, value]) => value?.includes('#origin_not_allowed'));

test('every response on the page of errors was received with these headers', async () => {
  const shown = (await shownResponses()).filter(
    ({ body, headers }) => !neverGiven.includes(body) && !isOfWebSockets(headers),
  );
  expect(shown.length).toBeGreaterThan(20);
  for (const { status, headers, body } of shown) {
    const given = refusals.filter(
      (response) => response.status === status && withoutUri(response.text) === body,
    );
    const matching = given.filter((response) =>
      headers.every(([name = '', value]) => shape(response.headers[name.toLowerCase()]) === shape(value)),
    );
    expect([status, body, headers, matching.length > 0]).toEqual([status, body, headers, true]);
  }
});
