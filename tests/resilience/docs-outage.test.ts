import { afterAll, expect, test } from '@jest/globals';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';

const platform = running(sharedPlatform);
const behind = () => [...platform.identities, ...platform.businesses];
afterAll(() => {
  for (const service of behind()) service.thaw();
});

const get = (path: string) => platform.request(0, 'GET', path);

test('the documentation is served while every service behind the gateway is silent', async () => {
  for (const service of behind()) service.freeze();
  expect((await get('/login')).status).toBeGreaterThanOrEqual(502);
  for (const page of ['/docs', '/docs/errors', '/docs/reference']) {
    const { status, text } = await get(page);
    expect([page, status]).toEqual([page, 200]);
    for (const [, path = ''] of text.matchAll(/<(?:link|script) [^>]*(?:href|src)="([^"]+)"/g))
      expect([path, (await get(path)).status]).toEqual([path, 200]);
  }
  expect((await get('/docs/errors')).text).toContain('id="unavailable"');
  const document = await get('/docs/openapi.json');
  expect([document.status, document.json()]).toMatchObject([200, { openapi: '3.1.0' }]);
});
