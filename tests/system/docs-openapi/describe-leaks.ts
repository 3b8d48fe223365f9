import { describe, test } from '@jest/globals';
import { githubReport } from '../../harness/github-reports.ts';
import { authorizeApplication, oauthClient, tokensOf } from '../../harness/oauth.ts';
import { unissued } from '../../harness/refused-bearers.ts';
import {
  application,
  clearThrottles,
  exhaustThrottles,
  expectDocumented,
  impatient,
  orphaned,
  owner,
  platform,
  usual,
} from './stage.ts';

export const selfRevokePath = '/v2/keys/self-revoke';
export const leaksPath = '/v2/leaks';
export const githubPath = '/v2/leaks/github';

const newKey = async () => (await platform.createKey()).keyString;
const overHttp = { headers: { 'X-Forwarded-Proto': 'http' } };
const twice = { headers: { Authorization: ['Bearer a', 'Bearer b'] } };
const large = { headers: { 'X-Large': 'x'.repeat(20_000) } };

type Sent = NonNullable<Parameters<typeof platform.request>[3]>;

const brings = async (status: number, path: string, sent: Sent = {}, gateway = usual) =>
  expectDocumented('POST', path, await platform.request(gateway, 'POST', path, sent), status);

/** The endpoints for credentials that leaked. */
export function describeLeaks(): void {
  describe('a key that ends itself', () => {
    test('200, then 401; 400, 403 and others', async () => {
      const key = await newKey();
      await brings(200, selfRevokePath, { key });
      await brings(401, selfRevokePath, { key });
      await brings(401, selfRevokePath);
      await brings(400, selfRevokePath, twice);
      const { code, verifier } = await authorizeApplication(owner.browser, application);
      const { accessToken } = tokensOf(await oauthClient(platform, application).exchange(code, verifier));
      await brings(403, selfRevokePath, { key: accessToken });
      await brings(403, selfRevokePath, overHttp, impatient);
      await brings(431, selfRevokePath, large);
    });

    test('429', async () => {
      const key = unissued(platform, 'sk');
      await brings(401, selfRevokePath, { key });
      await exhaustThrottles();
      await brings(429, selfRevokePath, { key });
      await clearThrottles();
    });
  });

  describe('reports of leaks', () => {
    const body = { strings: ['sk_x'], url: 'https://example.org/', source: 'Night watch' };

    test('202; 400, 403, 413, 415 and others', async () => {
      await brings(202, leaksPath, { body });
      await brings(400, leaksPath, { body: {} });
      await brings(403, leaksPath, { ...overHttp, body }, impatient);
      await brings(413, leaksPath, { body: { strings: ['x'.repeat(300_000)] } });
      await brings(415, leaksPath, { body: 'x', headers: { 'Content-Type': 'text/plain' } });
      await brings(431, leaksPath, { ...large, body });
    });

    test('429', async () => {
      await brings(202, leaksPath, { body });
      await exhaustThrottles();
      await brings(429, leaksPath, { body });
      await clearThrottles();
    });
  });

  describe('reports of GitHub', () => {
    test('200; 400, 403 and others', async () => {
      await brings(200, githubPath, githubReport('[]'));
      await brings(400, githubPath, { body: [] });
      await brings(403, githubPath, { ...overHttp, body: [] }, impatient);
      await brings(431, githubPath, { ...large, body: [] });
    });

    test('429', async () => {
      await exhaustThrottles();
      await brings(429, githubPath, githubReport('[]'));
      await clearThrottles();
    });
  });

  describe('the endpoints for leaks while identity-service', () => {
    const askAll = async (status: number, gateway: number) => {
      await brings(status, selfRevokePath, { key: await newKey() }, gateway);
      await brings(status, leaksPath, { body: { strings: ['x'] } }, gateway);
      await brings(status, githubPath, { body: [] }, gateway);
    };

    test('is not there: 502', () => askAll(502, orphaned));

    test('is silent: 504', async () => {
      const key = await newKey();
      platform.identities[0]?.freeze();
      try {
        await brings(504, selfRevokePath, { key }, impatient);
        await brings(504, leaksPath, { body: { strings: ['x'] } }, impatient);
        await brings(504, githubPath, { body: [] }, impatient);
      } finally {
        platform.identities[0]?.thaw();
      }
    });
  });
}
