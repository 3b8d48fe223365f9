import { expect, test } from '@jest/globals';
import { type Warning, warningEmail } from './warning.ts';

const warning = {
  endpointId: 'whe_00000000000000000000',
  businessId: 7,
  applicationId: '',
  url: 'https://shop.example/hook?token=secret',
  step: 'failing',
  since: Date.UTC(2026, 10, 20, 9, 30),
  disabledAt: Date.UTC(2026, 10, 25, 9, 30),
  businessName: 'Tea & Co',
  publicUrl: 'https://api.example.com',
} as const;

const emailOf = (change: Partial<Warning> & { readonly businessName?: string }) =>
  warningEmail({ ...warning, ...change });

test('a warning says since when, until when, and where to look', () => {
  const { subject, text } = emailOf({});
  expect(subject).toBe('A webhook endpoint is failing');
  expect(
    text,
  ).toBe(`Every delivery to this webhook endpoint of "Tea & Co" has failed since 20 November 2026 at 09:30 UTC.
Its address is https://shop.example/hook

Failed deliveries are repeated. If they keep failing until 25 November 2026 at 09:30 UTC, the endpoint is disabled.

See the responses of your server:
https://api.example.com/dashboard/7/settings/developers/webhooks
`);
});

test.each([
  ['disabled', 'has failed since 20 November 2026 at 09:30 UTC, so it was disabled'],
  ['gone', 'responded with 410 Gone, so it was disabled'],
] as const)('%s: the endpoint was disabled', (step, reason) => {
  const { subject, text } = emailOf({ step });
  expect(subject).toBe('A webhook endpoint was disabled');
  expect(text).toContain(reason);
  expect(text).toContain('enable the endpoint and recover what it missed');
});

test('an endpoint of an application is on the page of the application', () => {
  expect(emailOf({ applicationId: 'apl_1' }).text).toContain(
    'https://api.example.com/dashboard/7/settings/developers/apps/apl_1?tab=webhooks\n',
  );
});

test('a query, which may hold a secret, and links in a name are left out', () => {
  const { text } = emailOf({ businessName: 'Log in at https://evil.example/now' });
  expect(text).not.toContain('secret');
  expect(text).not.toContain('evil.example');
});
