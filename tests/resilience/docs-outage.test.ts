import { expect, test } from '@jest/globals';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';

const platform = running(startPlatform);

const get = (path: string) => platform.request(0, 'GET', path);

test('the documentation is served while every service behind the gateway is down', async () => {
  for (const service of [...platform.identities, ...platform.businesses]) await service.kill();
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
