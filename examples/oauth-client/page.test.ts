import { expect, test } from '@jest/globals';
import { renderPage } from './page.ts';

const settings = {
  issuer: 'https://api.test',
  clientId: 'app_1',
  redirectUri: 'https://x.test/cb',
  scope: 'a b',
};
const hostile = `"><script>alert('x')</script>&amp;`;
const escaped = /&#34;&#62;&#60;script&#62;alert\(&#39;x&#39;\)&#60;\/script&#62;&#38;amp;/g;

test('the page shows every value as text', () => {
  const step = { title: hostile, request: hostile, response: hostile, failed: false };
  const flow = renderPage(settings, { steps: [step] });
  const introduction = renderPage({ ...settings, clientId: hostile, scope: hostile });
  expect(flow.match(escaped)).toHaveLength(3);
  expect(introduction.match(escaped)).toHaveLength(2);
  expect(introduction + flow).not.toContain('<script');
});

test('the page shortens tokens, secrets and the code verifier, and nothing else', () => {
  const secret = `at_${'a1'.repeat(22)}z`;
  const request = `{"a":"${secret}"} code_verifier=${'v-_'.repeat(14)} client_id=app_0123456789abcdef`;
  const page = renderPage(settings, { steps: [{ title: 't', request, failed: false }] });
  expect(page).not.toContain(secret);
  expect(page).not.toContain('v-_v-_v-_');
  expect(page).toContain('at_a1a1…1a1z');
  expect(page).toContain('client_id=app_0123456789abcdef');
});
