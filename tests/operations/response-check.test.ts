import { expect, test } from '@jest/globals';
import type { HttpResponse } from '../harness/http-request.ts';
import { createResponseCheck } from '../harness/openapi.ts';

/* The check through which tests compare every response of the dashboard and of the API with its document. */

const check = createResponseCheck({
  paths: {
    '/things/{id}': {
      get: {
        operationId: 'getThing',
        responses: {
          200: {
            headers: { 'X-Count': { required: true, schema: { type: 'integer' } } },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
          },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
  },
  components: {
    responses: { NotFound: { content: { 'application/json': { schema: { type: 'string' } } } } },
    schemas: {
      Thing: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
      },
    },
  },
});

const sent = (body: unknown, given: Partial<HttpResponse> = {}): HttpResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'x-count': '1' },
  rawHeaders: [],
  text: JSON.stringify(body),
  json: () => body,
  ...given,
});
const checked = (response: HttpResponse, path = '/things/7') => check('GET', path, response);

test('a documented response passes, and its operation is named', () => {
  expect(checked(sent({ id: 'a', at: '2026-01-01T00:00:00Z' }))).toEqual({
    operationId: 'getThing',
    status: '200',
  });
  expect(checked(sent('gone', { status: 404 })).status).toBe('404');
});

test.each<[string, HttpResponse, string]>([
  ['a field that is not documented', sent({ id: 'a', secret: 's' }), 'must NOT have additional properties'],
  ['a missing field', sent({}), "must have required property 'id'"],
  ['a value of another type', sent({ id: 7 }), 'must be string'],
  ['a value of another format', sent({ id: 'a', at: 'noon' }), 'must match format'],
  ['a body of a shared response', sent(7, { status: 404 }), 'must be string'],
  ['a missing header', sent({ id: 'a' }, { headers: { 'content-type': 'application/json' } }), 'no X-Count'],
  ['another media type', sent({}, { headers: { 'content-type': 'text/html', 'x-count': '1' } }), 'text/html'],
  ['another status', sent('', { status: 500 }), '500 is not in the document'],
])('%s fails', (_, response, message) => {
  expect(() => checked(response)).toThrow(message);
});

test('an operation that is not documented fails', () => {
  expect(() => checked(sent({}), '/others')).toThrow('is not in the document');
});
