import { describe, expect, test } from '@jest/globals';
import type { Operation } from '../reference/document.ts';
import { curlSample } from './curl.ts';
import { goSample } from './go.ts';
import { javascriptSample } from './javascript.ts';
import { phpSample } from './php.ts';
import { pythonSample } from './python.ts';
import { type SampleRequest, sampleRequestOf } from './request.ts';

/* tests/platform/docs-samples.test.ts runs every sample; here are values that the API's examples do not have. */

const generators = {
  curl: curlSample,
  JavaScript: javascriptSample,
  Python: pythonSample,
  PHP: phpSample,
  Go: goSample,
};

const request: SampleRequest = {
  method: 'POST',
  url: 'https://api.example.com/v2/order',
  needsKey: true,
  isRepeatable: false,
  json: { name: "O'Neill \\ sons", 'a-b': [true, null, 1.5], empty: '' },
};

test.each([
  ['curl', `"name": "O'\\''Neill \\\\ sons"`, '"a-b": ['],
  ['JavaScript', `name: 'O\\'Neill \\\\ sons'`, `'a-b': [true, null, 1.5]`],
  ['Python', `"name": "O'Neill \\\\ sons"`, '"a-b": [True, None, 1.5]'],
  ['PHP', `'name' => 'O\\'Neill \\\\ sons'`, `'a-b' => [true, null, 1.5]`],
  ['Go', `"name": "O'Neill \\\\ sons"`, '"a-b": ['],
] as const)(
  '%s writes quotes, backslashes and names so that they stay what they are',
  (language, ...parts) => {
    const sample = generators[language](request);
    for (const part of parts) expect(sample).toContain(part);
  },
);

describe.each(Object.entries(generators))('a sample in %s', (_, write) => {
  test('never contains a key: it is read from the environment', () => {
    expect(write(request)).toMatch(
      /\$API_KEY|process\.env\.API_KEY|environ\['API_KEY'\]|[gG]etenv\(.API_KEY.\)/,
    );
    expect(write({ ...request, needsKey: false })).not.toContain('API_KEY');
  });

  test('reads what stands in angle brackets from the environment', () => {
    const { json: _json, ...rest } = request;
    const sample = write({ ...rest, form: { client_id: '<CLIENT_ID>', grant_type: 'refresh_token' } });
    expect(sample).toMatch(/\$CLIENT_ID|env\.CLIENT_ID|environ\["CLIENT_ID"\]|[gG]etenv\(.CLIENT_ID.\)/);
    expect(sample).toContain('refresh_token');
    expect(sample).not.toContain('<CLIENT_ID>');
  });

  test('has a new Idempotency-Key for each run where the request may be repeated', () => {
    expect(write({ ...request, isRepeatable: true })).toMatch(/Idempotency-Key.*(?:rand|uuid|UUID|Sprintf)/);
    expect(write(request)).not.toContain('Idempotency-Key');
  });

  test('names the method only where the language would send another', () => {
    const { json: _json, ...rest } = request;
    expect(write({ ...rest, method: 'DELETE' })).toContain('DELETE');
    if (write !== goSample) expect(write({ ...rest, method: 'GET' })).not.toContain('GET');
  });
});

const operation: Operation = {
  operationId: 'getThing',
  tags: ['Things'],
  tag: 'Things',
  anchor: '/Things/getThing',
  method: 'GET',
  path: '/v2/thing/{id}',
  summary: 'Get a thing',
  description: '',
  security: [{ apiKey: ['things:read'] }],
  parameters: [{ name: 'id', in: 'path', schema: {}, example: 'a/b' }],
  responses: { '200': { description: '', content: { 'application/json': { schema: {} } } } },
};

test('the id in a path is that of the example, and never reaches beyond its segment', () => {
  expect(sampleRequestOf(operation)?.url).toBe('https://api.example.com/v2/thing/a%2Fb');
});

test('a required parameter of the query is in the sample', () => {
  const query = { name: 'q', in: 'query', required: true, example: 'a b' } as const;
  const parameters = [...operation.parameters, query];
  expect(sampleRequestOf({ ...operation, parameters })?.url).toMatch(/a%2Fb\?q=a\+b$/);
});

test.each<[string, Partial<Operation>]>([
  ['its path', { parameters: [] }],
  ['its query', { parameters: [...operation.parameters, { name: 'q', in: 'query', required: true }] }],
  ['its body', { requestBody: { content: { 'application/json': { schema: {} } } } }],
])('an operation without an example of %s has no sample', (_, change) => {
  expect(sampleRequestOf({ ...operation, ...change })).toBeUndefined();
});

test('a page of a browser has no sample', () => {
  const responses = { '200': { description: '', content: { 'text/html': { schema: {} } } } };
  expect(sampleRequestOf({ ...operation, responses })).toBeUndefined();
});
