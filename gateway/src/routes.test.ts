import { compile, matchRoute } from './routes.ts';

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
  expect(matchRoute(method, path)).toMatchObject({ kind: 'found', scope });
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
  expect(matchRoute('GET', path)).toEqual({ kind: 'not_found', method: '', name: 'none', isPublic: false });
});

test.each([
  ['POST', '/v2/businesses/me', 'GET, HEAD'],
  ['DELETE', '/v2/order', 'GET, HEAD, POST'],
  ['PUT', '/v2/order/ord_1', 'GET, HEAD, PATCH'],
])('%s %s is not allowed, and Allow lists the methods', (method, path, allow) => {
  expect(matchRoute(method, path)).toMatchObject({ kind: 'method_not_allowed', allow });
});

test.each([
  ['POST', '/v2/oauth/token', '/v2'],
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
  expect(matchRoute(method, path)).toMatchObject({
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
  expect(matchRoute('GET', path)).toMatchObject({ kind: 'found', upstream: 'docs', scope: null });
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
  expect(matchRoute('GET', path)).toMatchObject({ kind: 'not_found', isPublic: true });
});

test('only routes without credentials reveal their methods to everyone', () => {
  expect(matchRoute('GET', '/v2/oauth/token')).toMatchObject({ allow: 'POST', isPublic: true });
  expect(matchRoute('PUT', '/v2/order')).toMatchObject({ isPublic: false });
});

test('a deprecated route announces its removal with every response', () => {
  const deprecation = { since: '2027-01-01', sunset: '2028-01-01', anchor: 'old-orders' };
  const route = {
    path: '/v2/old',
    upstream: 'business',
    methods: { GET: 'orders:read' },
    deprecation,
  } as const;
  expect(compile(route).byMethod.get('HEAD')).toMatchObject({
    headers: {
      Deprecation: '@1798761600',
      Sunset: 'Sat, 01 Jan 2028 00:00:00 GMT',
      Link: '</docs/versions#old-orders>; rel="deprecation"; type="text/html"',
    },
  });
});

test('a property of Object.prototype is not a method of a route', () => {
  expect(matchRoute('constructor', '/v2/order')).toMatchObject({ kind: 'method_not_allowed' });
});
