import { readApi } from '@platform/service-kit/api/api.ts';
import { seededRandom } from '../../tests/harness/mutate.ts';
import { largeDocument } from '../testing/large-api.ts';
import { apiWith, shopDocument, shopOperation } from '../testing/own-api.ts';
import { createRouteTable } from './routes.ts';

const platform = createRouteTable(readApi());

test.each([
  ['GET', '/v2/businesses/me', 'business:read'],
  ['HEAD', '/v2/businesses/me', 'business:read'],
  ['GET', '/v2/order', 'orders:read'],
  ['POST', '/v2/order', 'orders:write'],
  ['GET', '/v2/order/ord_1', 'orders:read'],
  ['PATCH', '/v2/order/ord_1', 'orders:write'],
  ['GET', '/v2/events', 'events:read'],
  ['GET', '/v2/rate-limit', ''],
  ['HEAD', '/v2/events', 'events:read'],
])('%s %s requires %s', (method, path, scope) => {
  expect(platform.match(method, path)).toMatchObject({ kind: 'found', scope, prefix: '/v2', isOwn: false });
});

test.each([
  '/v2',
  '/v2/',
  '/v2/order/',
  '/v2/Order',
  '/v2/order/a/b',
  '/v2/order/a%20b',
  '/v2/businesses/1',
  '/V2/order',
  '/v2/login',
])('%s has no route, and needs a credential', (path) => {
  expect(platform.match('GET', path)).toEqual({
    kind: 'not_found',
    method: '',
    name: 'none',
    isPublic: false,
  });
});

test.each([
  ['POST', '/v2/businesses/me', 'GET, HEAD'],
  ['DELETE', '/v2/order', 'GET, HEAD, POST'],
  ['PUT', '/v2/order/ord_1', 'GET, HEAD, PATCH'],
])('%s %s is not allowed, and Allow lists the methods', (method, path, allow) => {
  expect(platform.match(method, path)).toMatchObject({ kind: 'method_not_allowed', allow });
});

test.each([
  ['POST', '/v2/oauth/token', '/v2'],
  ['POST', '/v2/leaks/github', '/v2'],
  ['GET', '/oauth/authorize', ''],
  ['HEAD', '/login', ''],
  ['GET', '/account/sessions', ''],
  ['GET', '/assets/page.1a2b.css', ''],
  ['GET', '/.well-known/oauth-authorization-server', ''],
  ['GET', '/.well-known/webhook-keys/whe_5nV1xJ8pWq3dYs7tBk2F', ''],
  ['GET', '/promises.json', ''],
  ['GET', '/', ''],
  ['GET', '/dashboard/1/settings/developers/keys', ''],
  ['DELETE', '/dashboard-api/businesses/1/freeze', ''],
])('%s %s needs no credential', (method, path, prefix) => {
  expect(platform.match(method, path)).toMatchObject({
    kind: 'found',
    upstream: 'identity',
    scope: null,
    prefix,
  });
});

test.each([
  '/docs',
  '/docs/errors',
  '/docs/errors.md',
  '/docs/openapi.json',
  '/robots.txt',
  '/llms.txt',
  '/llms-full.txt',
  '/.well-known/api-catalog',
  '/.well-known/security.txt',
])('%s is served by the gateway itself', (path) => {
  expect(platform.match('GET', path)).toMatchObject({ kind: 'found', upstream: 'docs', scope: null });
});

test.each([
  '/account/',
  '/dashboard/',
  '/assets',
  '/dashboard-api',
  '/oauth/token',
  '/order',
  '/v20',
  '/favicon.ico',
  '/.well-known/openid-configuration',
  '/xwell-known/oauth-authorization-server',
])('%s has no route, and needs no credential', (path) => {
  expect(platform.match('GET', path)).toMatchObject({ kind: 'not_found', isPublic: true });
});

test('only routes without credentials reveal their methods to everyone', () => {
  expect(platform.match('GET', '/v2/oauth/token')).toMatchObject({ allow: 'POST', isPublic: true });
  expect(platform.match('PUT', '/v2/order')).toMatchObject({ isPublic: false });
});

test('a property of Object.prototype is not a method of a route', () => {
  expect(platform.match('constructor', '/v2/order')).toMatchObject({ kind: 'method_not_allowed' });
});

test('an operation of a service of the operator has its upstream, its scope and the path of its document', () => {
  const counted = { get: shopOperation('listWares'), delete: shopOperation('dropWares', { 'x-cost': 0 }) };
  const { match } = createRouteTable(apiWith(shopDocument({ '/v2/wares': counted })));
  expect(match('HEAD', '/v2/wares')).toMatchObject({
    upstream: 'shop',
    isOwn: true,
    scope: 'shop:read',
    prefix: '',
    isCounted: true,
  });
  expect(match('DELETE', '/v2/wares')).toMatchObject({ isCounted: false });
  expect(match('POST', '/v2/wares')).toMatchObject({ allow: 'GET, HEAD, DELETE', isPublic: false });
});

test('a deprecated operation announces its end with every response', () => {
  const dates = { deprecated: true, 'x-deprecated-since': '2027-01-01', 'x-sunset': '2028-01-01' };
  const get = shopOperation('listWares', { tags: ['Old wares'], ...dates });
  const post = shopOperation('addWare', dates);
  const { match } = createRouteTable(apiWith(shopDocument({ '/v2/wares': { get, post } })));
  const headers = { Deprecation: '@1798761600', Sunset: 'Sat, 01 Jan 2028 00:00:00 GMT' };
  const link = (anchor: string) => `</docs/reference#${anchor}>; rel="deprecation"; type="text/html"`;
  expect(match('HEAD', '/v2/wares')).toMatchObject({
    headers: { ...headers, Link: link('/Old%20wares/listWares') },
  });
  expect(match('POST', '/v2/wares')).toMatchObject({ headers: { ...headers, Link: link('/Shop/addWare') } });
});

const paths = 100_000;

test(`${paths} random paths over 500 operations find what a search through all of them finds`, () => {
  const document = largeDocument();
  const { match } = createRouteTable(apiWith(document));
  const all = Object.entries(document.paths as Record<string, Record<string, object>>);
  expect(all.reduce((sum, [, item]) => sum + Object.keys(item).length, 0)).toBe(500);
  // A path in letters before one with a parameter.
  const patterns = all
    .map(([path, item]) => ({
      path,
      item,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[\\w.~-]{1,128}')}$`),
    }))
    .sort((one, other) => Number(one.path.includes('{')) - Number(other.path.includes('{')));
  const byLength = Map.groupBy(patterns, ({ path }) => path.split('/').length);
  const random = seededRandom(7);
  const words = ['search', 'cancel', 'sources', 'src_1', 'a.b', '-', 'a b', '', '%41', 'Search'];
  for (let index = 0; index < paths; index++) {
    const parts = Array.from({ length: random(4) }, () => words[random(words.length)]);
    const path = ['/v2', `noun${random(55)}`, ...parts].join('/');
    const method = ['GET', 'POST', 'PATCH', 'DELETE'][random(4)] ?? '';
    const expected = byLength.get(path.split('/').length)?.find(({ pattern }) => pattern.test(path));
    const found = match(method, path);
    if (found.name !== (expected?.path ?? 'none')) throw new Error(`${path}: ${found.name}`);
    const isThere = expected?.item[method.toLowerCase()] !== undefined;
    if ((found.kind === 'found') !== isThere) throw new Error(`${method} ${path}: ${found.kind}`);
  }
});
