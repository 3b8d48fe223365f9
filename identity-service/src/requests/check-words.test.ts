import { expect, test } from '@jest/globals';
import { checkWords } from './check-words.ts';
import { checks } from './decision.ts';
import type { RequestRecord } from './request-record.ts';

const record: RequestRecord = {
  id: '6f8d9bb2-6f0b-4b8e-9a52-7a9f0a4b4f60',
  at: 0,
  businessId: 7,
  method: 'PATCH',
  path: '/v2/order/ord_1',
  route: '/v2/order/{id}',
  status: 403,
  refusal: undefined,
  credentialType: 'access_token',
  credentialId: 'tok_1',
  limitId: 'grt_1',
  clientIp: '192.0.2.7',
  requiredScope: 'orders:write',
};

test('every check has a statement of its own', () => {
  const statements = checks.map((check) => checkWords(check, record));
  expect(new Set(statements).size).toBe(checks.length);
  expect(statements).toContain('It has the scope orders:write');
  expect(statements).toContain('The address 192.0.2.7 is on the app’s IP whitelist');
});

test('where nothing is asked for, the statement says so', () => {
  expect(checkWords('scope', { ...record, requiredScope: undefined })).toBe('No scope is needed here');
  expect(checkWords('address', { ...record, credentialType: 'secret_key' })).toMatch(/keys work from any/);
});
