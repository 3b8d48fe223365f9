import { describe, expect, test } from '@jest/globals';
import { readClientCredentials } from './client-credentials.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const body = (fields: Record<string, string>) => new Map(Object.entries(fields));
const invalidRequest = expect.objectContaining({ code: 'invalid_request' });

describe('client credentials', () => {
  test.each([
    ['in the body', undefined, { client_id: 'app_1', client_secret: 'cs_1' }, 'cs_1'],
    ['by Basic', basic('app_1:cs_1'), {}, 'cs_1'],
    ['by Basic in another case', basic('app_1:cs_1').replace('Basic', 'basic'), {}, 'cs_1'],
    ['by Basic, form-urlencoded', basic('app%5F1:a%2Bb+c%3A%25'), {}, 'a+b c:%'],
    ['by Basic, with a colon in the secret', basic('app_1:a:b'), {}, 'a:b'],
    ['by Basic, the client ID also in the body', basic('app_1:cs_1'), { client_id: 'app_1' }, 'cs_1'],
  ])('%s are read', (_, header, fields, clientSecret) => {
    expect(readClientCredentials(header, body(fields))).toEqual({ clientId: 'app_1', clientSecret });
  });

  test.each([
    ['missing', undefined, {}],
    ['without the ID', undefined, { client_secret: 'cs_1' }],
    ['without the secret', undefined, { client_id: 'app_1' }],
    ['in both places', basic('app_1:cs_1'), { client_secret: 'cs_1' }],
    ['in both places, differing', basic('app_1:cs_1'), { client_id: 'app_1', client_secret: 'cs_2' }],
    ['of two clients', basic('app_1:cs_1'), { client_id: 'app_2' }],
    ['of another scheme', 'Bearer at_1', {}],
    ['not base64', 'Basic ***', {}],
    ['without a colon', basic('app_1'), {}],
    ['with an empty ID', basic(':cs_1'), {}],
    ['with an empty secret', basic('app_1:'), {}],
    ['with a per cent sign that encodes nothing', basic('app_1:100%'), {}],
    ['with NUL', basic('app_1%00:cs_1'), {}],
    ['beyond ASCII', basic('app_é:cs_1'), {}],
    ['twice in one header', `${basic('app_1:cs_1')}, ${basic('app_1:cs_1')}`, {}],
  ])('%s are a malformed request', (_, header, fields) => {
    expect(() => readClientCredentials(header, body(fields))).toThrow(invalidRequest);
  });
});
