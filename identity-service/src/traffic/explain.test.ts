import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { invalidReasons, refusals } from '@platform/protos/vocabulary';
import { explainRequest } from './explain.ts';
import { oauthReasons } from './oauth-reason.ts';
import type { RequestRecord } from './request-log.ts';
import { type Client, deletedClient } from './usage.ts';

const key: Client = {
  limitId: 'key_1',
  kind: 'api_key',
  id: 'key_1',
  name: 'Till',
  exists: true,
  isOwn: true,
};

const app: Client = { ...key, limitId: 'grt_1', kind: 'application', id: 'apl_1', name: 'Parcel Post' };

const foreignApp: Client = { ...app, isOwn: false };

const refused: RequestRecord = {
  id: '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60',
  at: 0,
  businessId: 7,
  method: 'PATCH',
  path: '/v2/order/ord_1',
  route: '/v2/order/{id}',
  status: 403,
  refusal: undefined,
  credentialType: 'restricted_key',
  credentialId: 'key_1',
  limitId: 'key_1',
  clientIp: '192.0.2.7',
  requiredScope: 'orders:write',
  invalidField: undefined,
  secretLastFour: undefined,
  durationMs: 12,
  upstreamMs: undefined,
  responseBytes: 40,
  userAgent: '',
  error: undefined,
};

const explain = (refusal: string, client?: Client) => {
  const credentialType = client?.kind === 'application' ? 'access_token' : 'restricted_key';
  return explainRequest({ record: { ...refused, refusal, credentialType }, client });
};

const reasons = [...refusals, ...invalidReasons, ...oauthReasons, 'HPE_INVALID_CHUNK_SIZE'];

const statuses = [400, 403, 404, 409, 410, 412, 413, 415, 422, 499, 500, 502, 503, 504];

describe('every explanation has an anchor in the documentation and whole sentences:', () => {
  const guide = readFileSync(new URL('../../../docs-site/guides/errors.md', import.meta.url), 'utf8');

  test.each([...reasons, ...statuses])('%s', (reason) => {
    const clients = [undefined, key, app, foreignApp, deletedClient('key_2')];
    for (const client of clients) {
      const { title, problem, advice, anchor } =
        typeof reason === 'string'
          ? explain(reason, client)
          : explainRequest({ record: { ...refused, status: reason }, client });
      expect(guide).toContain(`{#${anchor}}`);
      expect(title).toMatch(/^[A-Z].{3,59}[^.]$/);
      for (const text of [problem, advice]) expect(text).toMatch(/^[A-Z].{10,250}\.$/);
    }
  });
});

test('each refusal has its own problem', () => {
  const problems = reasons.map((reason) => explain(reason, key).problem);
  expect(new Set(problems).size).toBe(reasons.length);
});

describe('the remedy depends on the owner of the credential:', () => {
  test.each<[string, Client | undefined, unknown]>([
    ['insufficient_scope', key, { page: 'api_key', id: 'key_1' }],
    ['insufficient_scope', app, { page: 'application', id: 'apl_1' }],
    ['insufficient_scope', foreignApp, { page: 'connected' }],
    ['expired', key, { page: 'api_key', id: 'key_1' }],
    ['expired', deletedClient('key_2'), { page: 'api_keys' }],
    ['expired', app, undefined],
    ['ip_not_allowed', key, { page: 'api_key', id: 'key_1' }],
    ['ip_not_allowed', app, { page: 'application', id: 'apl_1' }],
    ['ip_not_allowed', foreignApp, { page: 'connected' }],
    ['rate_limited', key, { page: 'api_key', id: 'key_1' }],
    ['rate_limited', foreignApp, { page: 'connected' }],
    ['business_frozen', key, { page: 'business' }],
    ['key_frozen', key, { page: 'api_key', id: 'key_1' }],
    ['application_suspended', app, { page: 'application', id: 'apl_1' }],
    ['application_suspended', foreignApp, { page: 'connected' }],
    ['connection_suspended', foreignApp, { page: 'connected' }],
    ['missing', undefined, { page: 'api_keys' }],
    ['malformed', undefined, { page: 'api_keys' }],
    ['unknown', undefined, { page: 'api_keys' }],
    ['unknown', key, { page: 'api_key', id: 'key_1' }],
    ['unknown', deletedClient('key_2'), { page: 'api_keys' }],
    ['client_address', app, { page: 'application', id: 'apl_1' }],
    ['client_unknown', undefined, undefined],
    ['code_used', deletedClient('apl_2'), undefined],
    ['no_route', key, undefined],
    ['upstream_timeout', key, undefined],
  ])('%s', (refusal, client, remedy) => {
    expect(explain(refusal, client).remedy).toEqual(remedy);
  });
});

test('explanations name the scope, address, path and method', () => {
  expect(explain('insufficient_scope', key).problem).toBe('The key does not have the scope orders:write.');
  expect(explain('insufficient_scope', app).problem).toBe('The app does not have the scope orders:write.');
  expect(explain('ip_not_allowed', app).problem).toBe(
    'The address 192.0.2.7 is not on the IP whitelist of the app.',
  );
  expect(explain('ip_not_allowed', key).problem).toBe(
    'The address 192.0.2.7 is not on the IP whitelist of the key.',
  );
  expect(explain('no_route', key).problem).toContain('/v2/order/ord_1');
  // The freeze may be that of an operator.
  expect(explain('business_frozen', key).problem).not.toContain('owner');
  expect(explain('method', key).title).toBe('PATCH is not allowed here');
});

test('an old string of a key is explained with its end, as far as that is known', () => {
  const record = { ...refused, refusal: 'unknown' };
  const problem = (...ends: readonly number[]) =>
    explainRequest({ record, client: key, ends: ends.map((at) => ({ at, reason: 'rotated' })) }).problem;
  const first = 'The key was rotated, and this string of it no longer works';
  expect(problem()).toBe(`${first}.`);
  expect(problem(0)).toBe(`${first} since 1 Jan 1970, 00:00:00 UTC.`);
  expect(problem(1_000, 0)).toBe(`${first} since 1 Jan 1970, 00:00:01 UTC or an earlier rotation.`);
});

test('the advice for a 409 applies to a conflict of an order and of an Idempotency-Key', () => {
  const { problem, advice } = explainRequest({ record: { ...refused, status: 409 }, client: key });
  expect(problem).toContain('The response names the conflict.');
  expect(problem + advice).not.toMatch(/order|Idempotency-Key/);
});

describe('the explanation of an invalid request names the invalid part', () => {
  const invalid = (refusal: string, invalidField?: string, status = 400) =>
    explainRequest({ record: { ...refused, refusal, invalidField, status }, client: key });

  test.each([
    ['invalid_json', 'The body is not valid JSON', 'The body is not valid JSON at “a.b”.'],
    ['invalid_query', 'Query parameter a.b is not valid', 'The query parameter “a.b” is not valid.'],
    ['invalid_body', 'Field a.b is missing or not valid', 'The field “a.b” is missing or not valid.'],
    ['invalid_header', 'Header a.b is not valid', 'The header “a.b” is not valid.'],
    ['invalid_path', 'Path parameter a.b is not valid', 'The path parameter “a.b” is not valid.'],
  ])('%s, with the name that the response has', (refusal, title, problem) => {
    expect(invalid(refusal, 'a.b')).toMatchObject({ title, problem, anchor: 'bad_request' });
  });

  test.each([
    ['invalid_json', 'The body is not valid JSON.'],
    ['invalid_query', 'A query parameter is not valid.'],
    ['invalid_body', 'The body is missing or not valid.'],
    ['invalid_header', 'A header is not valid.'],
    ['invalid_path', 'A part of the path is not valid.'],
  ])('%s, without a name', (refusal, problem) => {
    expect(invalid(refusal)).toMatchObject({ problem, anchor: 'bad_request' });
  });

  test('the Content-Type of a 415 has its own explanation', () => {
    expect(invalid('invalid_header', 'Content-Type', 415)).toMatchObject({
      title: 'The body is not JSON',
      anchor: 'unsupported_media_type',
    });
  });
});
