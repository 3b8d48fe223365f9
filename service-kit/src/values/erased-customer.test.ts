import { expect, test } from '@jest/globals';
import { eraseCustomer } from './erased-customer.ts';

test('an erased order keeps every other field, and their order', () => {
  const head = '{"id":"ord_1","number":1001,"line_items":[{"name":"Tea","sku":null}],';
  const tail = ',"created_at":"2026-11-21T09:30:00.000Z","paid_at":null}';
  const person = '"customer":{"name":"Ada","email":"ada@example.com"},"metadata":{"phone":"+44 1"}';
  const erased = '"customer":{"name":"Erased customer","email":null},"metadata":{}';
  expect(eraseCustomer(`${head}${person}${tail}`)).toBe(`${head}${erased}${tail}`);
  expect(eraseCustomer(`${head}${erased}${tail}`)).toBe(`${head}${erased}${tail}`);
});
