import { expect, test } from '@jest/globals';
import { createOwnHostCheck, parseAbsoluteForm } from './request-target.ts';

test.each([
  ['http://api.example/v2/order?a=1', 'api.example', '/v2/order?a=1'],
  ['HTTP://API.Example/v2/order', 'api.example', '/v2/order'],
  ['https://api.example:443/', 'api.example', '/'],
  ['http://api.example:443/', 'api.example:443', '/'],
  ['http://api.example', 'api.example', '/'],
  ['http://api.example?a=http://b/', 'api.example', '/?a=http://b/'],
  ['http://[2001:db8::1]:8080/v2', '[2001:db8::1]:8080', '/v2'],
  ['http://api.example//v2', 'api.example', '//v2'],
  ['http://user@api.example/', 'user@api.example', '/'],
])('%s is in absolute-form', (target, authority, url) => {
  expect(parseAbsoluteForm(target)).toEqual({ authority, url });
});

test.each([
  '/v2/order',
  '//api.example/v2',
  '*',
  'api.example:80',
  'ftp://api.example/',
  'http:///v2',
  'http://a/#b',
])('%s is not in absolute-form', (target) => {
  expect(parseAbsoluteForm(target)).toBeUndefined();
});

const socket = { localAddress: '::ffff:10.0.0.5', localPort: 8080 };

test.each([
  ['api.example', true],
  ['10.0.0.5:8080', true],
  ['10.0.0.5', false],
  ['10.0.0.5:80', false],
  ['other.example', false],
  ['api.example:8080', false],
  ['user@api.example', false],
  ['', false],
])('whether %s is the host of the platform: %s', (authority, isOwn) => {
  expect(createOwnHostCheck('https://api.example')(authority, socket)).toBe(isOwn);
});

test('an IPv6 address is in brackets, and without PUBLIC_URL only the local address is our host', () => {
  const isOwn = createOwnHostCheck(undefined);
  expect(isOwn('[::1]:8080', { localAddress: '::1', localPort: 8080 })).toBe(true);
  expect(isOwn('127.0.0.1', { localAddress: '127.0.0.1', localPort: 80 })).toBe(true);
  expect(isOwn('undefined', { localAddress: undefined, localPort: undefined })).toBe(false);
});
