import { expect, test } from '@jest/globals';
import { networks } from './address.ts';
import { type AddressRules, checkEndpointUrl, findUrlError, mayDial } from './url.ts';

const strict: AddressRules = { allowedNetworks: [], allowedPorts: new Set([443]), allowsLoopback: false };
const local: AddressRules = { ...strict, allowsLoopback: true };
const inside: AddressRules = { ...strict, allowedNetworks: networks.parse('10.20.0.0/16') };

test.each([
  'https://example.com/webhooks',
  'https://example.com',
  'https://hooks.example.co.uk/a/b?tenant=1&x=%20',
  'https://xn--bcher-kva.example/',
  'https://8.8.8.8/hook',
  'https://[2606:4700:4700::1111]/hook',
])('%s may be saved', (url) => expect(checkEndpointUrl(url, strict)).toBe(url));

test.each([
  ['', 'absolute'],
  ['example.com', 'absolute'],
  ['/webhooks', 'absolute'],
  ['https://', 'absolute'],
  ['https://999.1.1.1/', 'absolute'],
  [`https://example.com/${'a'.repeat(1_000)}`, 'at most 1000'],
  ['http://example.com/', 'https://'],
  ['ftp://example.com/', 'https://'],
  ['file:///etc/passwd', 'https://'],
  ['javascript:alert(1)', 'https://'],
  ['https://ada@example.com/', 'user name'],
  ['https://ada:word@example.com/', 'user name'],
  ['https://example.com@127.0.0.1/', 'user name'],
  ['https://example.com/#top', 'fragment'],
  ['https://example.com/#', 'fragment'],
  ['https://example.com:8443/', 'port must be one of 443'],
  ['https://example.com:80/', 'port must be one of 443'],
  ['https://example.com:443/', 'write the URL as https://example.com/'],
  ['HTTPS://EXAMPLE.COM/', 'write the URL as https://example.com/'],
  ['https://example.com/a/../b', 'write the URL as https://example.com/b'],
  ['https://example.com\\@127.0.0.1/', 'write the URL as'],
  [' https://example.com/', 'write the URL as'],
  ['https://exa\nmple.com/', 'write the URL as'],
  ['https://bücher.example/', 'write the URL as https://xn--bcher-kva.example/'],
  ['https://example.com./', 'must not end with a dot'],
  ['https://localhost./', 'must not end with a dot'],
  ['https://127.0.0.1./', 'write the URL as'],
  ['https://localhost/', 'not public'],
  ['https://a.localhost/', 'not public'],
  ['https://intranet/', 'not public'],
  ['https://printer.local/', 'not public'],
  ['https://metadata.google.internal/computeMetadata/v1/', 'not public'],
  ['https://router.home.arpa/', 'not public'],
  ['https://127.0.0.1/', 'not public'],
  ['https://169.254.169.254/latest/meta-data/', 'not public'],
  ['https://10.20.0.1/', 'not public'],
  ['https://[::1]/', 'not public'],
  ['https://[::ffff:7f00:1]/', 'not public'],
  ['https://[64:ff9b::7f00:1]/', 'not public'],
  ['https://2130706433/', 'write the URL as https://127.0.0.1/'],
  ['https://0x7f000001/', 'write the URL as https://127.0.0.1/'],
  ['https://0177.0.0.1/', 'write the URL as https://127.0.0.1/'],
  ['https://127.1/', 'write the URL as https://127.0.0.1/'],
  ['https://①②⑦.⓪.⓪.①/', 'write the URL as https://127.0.0.1/'],
  ['https://[::ffff:127.0.0.1]/', 'write the URL as https://[::ffff:7f00:1]/'],
])('%j is refused, and the text says why', (url, reason) => {
  expect(findUrlError(url, strict)).toContain(reason);
  expect(() => checkEndpointUrl(url, strict)).toThrow(reason);
});

test.each([
  'http://localhost:3000/hook',
  'http://127.0.0.1:8080/',
  'http://[::1]:9/',
  'https://app.localhost:8443/',
])('%s is allowed only with MODE=local', (url) => {
  expect(findUrlError(url, local)).toBeUndefined();
  expect(findUrlError(url, strict)).toBeDefined();
});

test.each([
  'http://example.com/',
  'http://10.0.0.1/',
  'https://192.168.0.1/',
  'ftp://localhost/',
  'http://0.0.0.0/',
])('%s is refused even with MODE=local', (url) => expect(findUrlError(url, local)).toBeDefined());

test('an operator may allow a port, and a network with its internal names', () => {
  const withPort = { ...strict, allowedPorts: new Set([443, 8443]) };
  expect(findUrlError('https://example.com:8443/', withPort)).toBeUndefined();
  for (const url of ['https://10.20.3.4/', 'https://hooks.internal/', 'https://hooks/'])
    expect(findUrlError(url, inside)).toBeUndefined();
  for (const url of ['https://10.21.3.4/', 'https://localhost/', 'https://a.localhost/', 'http://10.20.3.4/'])
    expect(findUrlError(url, inside)).toBeDefined();
});

test('loopback may be dialed only for loopback hosts with MODE=local', () => {
  expect(mayDial('127.0.0.1', 'localhost', local)).toBe(true);
  expect(mayDial('127.0.0.1', 'localhost', strict)).toBe(false);
  expect(mayDial('127.0.0.1', 'hooks.example', local)).toBe(false);
  expect(mayDial('10.20.0.1', 'hooks.example', inside)).toBe(true);
  expect(mayDial('10.0.0.1', 'localhost', local)).toBe(false);
});
