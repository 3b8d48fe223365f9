import { describe, expect, test } from '@jest/globals';
import { renderPage } from './page.ts';

const client = {
  issuer: 'http://127.0.0.1:8080',
  clientId: 'app_1',
  clientSecret: 'cs_secret',
  redirectUri: 'http://127.0.0.1:8090/callback',
  scopes: ['business:read'],
};
const hostile = `"><script>alert('x')</script>&amp;`;

describe('the page of the demo application', () => {
  test('shows whatever comes as text', () => {
    const step = { title: hostile, why: hostile, request: hostile, answer: hostile, failed: false };
    const introduction = renderPage({ ...client, clientId: hostile, scopes: [hostile] }, undefined);
    const story = renderPage(client, { steps: [step] });
    const escaped = /&#34;&#62;&#60;script&#62;alert\(&#39;x&#39;\)&#60;\/script&#62;&#38;amp;/g;
    expect(story.match(escaped)).toHaveLength(4);
    expect(introduction.match(escaped)).toHaveLength(2);
    expect(introduction + story).not.toContain('<script');
  });

  test('offers what can be done next', () => {
    const actions = (page: string) => [...page.matchAll(/action="([^"]+)"/g)].map(([, action]) => action);
    expect(actions(renderPage(client, undefined))).toEqual(['/start']);
    const tokens = { accessToken: 'at_1', refreshToken: 'rt_1' };
    const connected = renderPage(client, { steps: [], tokens });
    expect(actions(connected)).toEqual(['/call', '/refresh', '/revoke', '/start']);
  });

  test('holds no secret', () => {
    const tokens = { accessToken: 'at_1', refreshToken: 'rt_1' };
    const pending = { state: 's', codeVerifier: 'the-verifier' };
    expect(renderPage(client, { steps: [], tokens, pending })).not.toMatch(
      /cs_secret|at_1|rt_1|the-verifier/,
    );
  });
});
