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

  test.each(['PUT', 'PATCH', 'DELETE', 'PROPFIND'])('whatever its method: %s', (method) => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect(() => checkSameOrigin({ method, headers }, publicUrl)).toThrow();
  });
});

test.each(['GET', 'HEAD'])('a link on another site works: %s', (method) => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://shop.example' };
  expect(() => checkSameOrigin({ method, headers }, publicUrl)).not.toThrow();
});
