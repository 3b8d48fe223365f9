import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import type { HttpResponse } from '../harness/http-request.ts';
import { ownDocuments } from '../harness/own-documents.ts';
import { startPlatform } from '../harness/platform.ts';
import { recordingUpstream } from '../harness/recording-upstream.ts';
import { running } from '../harness/running.ts';

/* Requests of an operator's service that do not match its document (`x-validate`), through the gateway as it is. */

const bill = {
  type: 'object',
  required: ['total'],
  additionalProperties: false,
  properties: { total: { type: 'integer', minimum: 0 }, note: { type: 'string' } },
};

const document = {
  openapi: '3.1.0',
  info: { title: 'Bills', version: '1' },
  paths: {
    '/v2/bills': {
      post: {
        operationId: 'createBill',
        security: [{ oauth2: ['invoices:read'] }],
        'x-upstream': 'invoices',
        'x-validate': true,
        parameters: [{ name: 'draft', in: 'query', schema: { type: 'boolean' } }],
        requestBody: { required: true, content: { 'application/json': { schema: bill } } },
      },
    },
  },
  components: { securitySchemes: { oauth2: { type: 'oauth2' } } },
};

const upstream = running(recordingUpstream);
const platform = running(() => {
  const API_DIR = ownDocuments(upstream.origin);
  writeFileSync(join(API_DIR, 'bills.json'), JSON.stringify(document, null, 1));
  return startPlatform({ identityEnv: { API_DIR }, gatewayEnv: { API_DIR } });
});
let key: string;
beforeEach(async () => {
  key ??= (await platform.createKey()).keyString;
  upstream.clear();
});

function post(body: string, query = '', headers = {}): Promise<HttpResponse> {
  const sent = { 'Content-Type': 'application/json', ...headers };
  return platform.request(0, 'POST', `/v2/bills${query}`, { key, body, headers: sent });
}

test('A request that matches the document reaches the service byte for byte.', async () => {
  const body = '\ufeff{ "total": 1.0,\r\n  "note": "\\u00e9 é" } \n';
  expect((await post(body, '?draft=tru%65')).status).toBe(200);
  const [received] = upstream.requests;
  expect(received).toMatchObject({ target: '/v2/bills?draft=tru%65', body: Buffer.from(body) });
});

test.each([
  ['a field', '{"total":-1}', '', 'total: must be at least 0'],
  ['the query', '{"total":1}', '?draft=2', 'draft: must be true or false'],
  ['JSON', '{"total":1,"total":2}', '', 'total: is given twice'],
])(
  'A request that does not match in %s ends at the gateway, in the form of its errors.',
  async (_, body, query, error) => {
    const { status, headers, json } = await post(body, query);
    expect([status, json()]).toEqual([400, { error, status: 'Bad Request', code: 400 }]);
    expect(headers).toMatchObject({
      link: expect.stringContaining('#bad_request'),
      'x-ratelimit-limit': expect.any(String),
      'x-request-id': expect.any(String),
    });
    expect(upstream.requests).toEqual([]);
  },
);

test('A body beyond 64 kB is 413.', async () => {
  const { status, json } = await post(JSON.stringify({ total: 1, note: 'x'.repeat(65_536) }));
  expect([status, json()]).toMatchObject([413, { error: 'the body is larger than 65536 bytes' }]);
  expect(upstream.requests).toEqual([]);
});

test('A request without a credential is 401, whatever its body.', async () => {
  expect((await platform.request(0, 'POST', '/v2/bills', { body: '{' })).status).toBe(401);
});
