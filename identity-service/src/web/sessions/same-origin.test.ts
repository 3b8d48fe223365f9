import { describe, expect, test } from '@jest/globals';
import { checkSameOrigin } from './same-origin.ts';

const publicUrl = 'https://platform.example';
const post = (headers: Record<string, string>) => () =>
  checkSameOrigin({ method: 'POST', headers }, publicUrl);

describe('a state-changing request is accepted', () => {
  test.each([
    ['from a page of the platform', { 'sec-fetch-site': 'same-origin', origin: publicUrl }],
    ['from a form whose page sends no referrer', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
    ['reloaded by the person', { 'sec-fetch-site': 'none' }],
    ['from a browser without Sec-Fetch-Site', { origin: publicUrl }],
    ['from a program', {}],
  ])('%s', (_, headers) => {
    expect(post(headers)).not.toThrow();
  });
});

describe('a state-changing request is refused', () => {
  test.each([
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['from another host of the same site', { 'sec-fetch-site': 'same-site', origin: 'https://x.example' }],
    ['from another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: publicUrl }],
    ['from an unknown site', { 'sec-fetch-site': '' }],
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another scheme', { origin: 'http://platform.example' }],
    ['of another port', { origin: 'https://platform.example:8443' }],
    ['of a sandboxed page', { origin: 'null' }],
    ['of an empty origin', { origin: '' }],
  ])('%s', (_, headers) => {
    expect(post(headers)).toThrow(expect.objectContaining({ status: 403 }));
  });

  test.each(['PUT', 'PATCH', 'DELETE', 'PROPFIND'])('with the method %s', (method) => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect(() => checkSameOrigin({ method, headers }, publicUrl)).toThrow();
  });
});

describe('the refusal of a state-changing request', () => {
  const lan = 'http://192.168.1.5:8080';
  const advice = 'start it with PUBLIC_URL=http://192.168.1.5:8080.';
  const forwarded = { 'x-forwarded-host': '192.168.1.5:8080' };

  test('names PUBLIC_URL to a person who opened the platform at another address', () => {
    expect(post({ ...forwarded, origin: lan })).toThrow(
      `opened at ${lan}, and this platform is ${publicUrl}`,
    );
    expect(post({ ...forwarded, origin: lan })).toThrow(advice);
  });

  test.each([
    ['another site', 'https://evil.example', 'another site, https://evil.example. Open'],
    ['a host like ours', 'http://192.168.1.5', 'another site, http://192.168.1.5. Open'],
    ['a page without an origin', 'null', 'another site. Open'],
    ['an invalid origin', 'http://192.168.1.5:8080/<script>', 'another site. Open'],
  ])('does not name PUBLIC_URL to %s', (_, origin, text) => {
    expect(post({ ...forwarded, origin })).toThrow(text);
    expect(post({ ...forwarded, origin })).not.toThrow('PUBLIC_URL');
  });
});

test.each(['GET', 'HEAD'])('a link on another site works: %s', (method) => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://shop.example' };
  expect(() => checkSameOrigin({ method, headers }, publicUrl)).not.toThrow();
});
