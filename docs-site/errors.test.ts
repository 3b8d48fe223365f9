import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { expect, test } from '@jest/globals';
import * as accessErrors from '../gateway/src/access/errors.ts';
import type { GatewayError } from '../gateway/src/edge/errors.ts';
import * as edgeErrors from '../gateway/src/edge/errors.ts';
import { simulations } from '../gateway/src/rehearsal.ts';
import { simulated } from './build/reference/try-form.ts';

/* guides/errors.md against the gateway's own list of errors: a new error, or a changed text, needs its place on the page. */

const errors = { ...edgeErrors, ...accessErrors };

const page = readFileSync(new URL('guides/errors.md', import.meta.url), 'utf8');

/** Sections of the page by anchor. */
const sections = new Map(
  page
    .split(/^(?=### )/m)
    .map((section) => [/^### .*\{#([\w-]+)\}/.exec(section)?.[1] ?? '', section] as const),
);

const isError = (value: unknown): value is GatewayError =>
  typeof value === 'object' && value !== null && 'code' in value && 'reason' in value;

const denied = [
  ...(['scope_denied', 'ip_denied', 'frozen', 'key_frozen'] as const),
  ...(['application_suspended', 'connection_suspended'] as const),
];
const reasons = ['missing', 'malformed', 'unknown', 'expired'] as const;

/** Errors whose response links to the section about them. */
const linked = [
  ...denied.flatMap((outcome) =>
    (['SECRET_KEY', 'ACCESS_TOKEN'] as const).map((type) =>
      errors.denialOf({ outcome, principal: { credentialType: `CREDENTIAL_TYPE_${type}` } }, 'orders:read'),
    ),
  ),
  ...reasons.flatMap((reason) =>
    ['sk_x', 'at_x'].map((sent) => errors.unauthorized(reason, reason === 'missing' ? undefined : sent)),
  ),
  errors.tooManyRequests(312_000),
  errors.tooManyRequests(1_000, 'unknown_limited'),
];

test.each(linked)('$code $reason: the linked section shows this response', (error) => {
  const { code, text, headers = {} } = error;
  const section = sections.get(error.section ?? '') ?? '';
  expect(section).toContain(`HTTP/1.1 ${code} ${STATUS_CODES[code]}`);
  if (text !== undefined) expect(section).toContain(`{"error":"${text}"`);
  const challenge = headers['WWW-Authenticate'];
  if (challenge !== undefined) expect(section).toContain(challenge);
});

test.each([400, 403, 404, 405, 408, 409, 410, 411, 412, 413, 415, 421, 422, 431, 500, 502, 503, 504])(
  '%i leads to a section that names this status',
  (status) => {
    const link = errors.help('/docs/errors', status) ?? '';
    expect(sections.get(/#(\w+)>; rel="help"$/.exec(link)?.[1] ?? '')).toContain(`${status}`);
  },
);

/** Errors with a text that does not depend on the request; one that cuts a response that has begun has no reader. */
const fixed = [...Object.values(errors).filter(isError), errors.methodNotAllowed('GET, HEAD, POST')].filter(
  (error) => error !== errors.accessEnded,
);

test.each(fixed)('$code $reason: the page names its status and its text', ({ code, text = '' }) => {
  const sectionsOfStatus = [...sections.values()].filter((section) => section.includes(`${code}`));
  expect(sectionsOfStatus.join('\n')).toContain(text);
});

test('every status of the gateway is in the table or among those of unreadable requests', () => {
  const statuses = new Set(
    [...linked, ...fixed, errors.bodyTooLarge(1), errors.badRequest('ambiguous_path', '')].map(
      (error) => error.code,
    ),
  );
  for (const status of statuses) expect([status, page.includes(`${status}`)]).toEqual([status, true]);
  expect(statuses.size).toBeGreaterThan(8);
});

test('the guide and the form offer every error that the gateway simulates', () => {
  const names = [...simulations.keys(), 'slow'].sort();
  const guide = readFileSync(new URL('guides/sandbox.md', import.meta.url), 'utf8');
  const [rehearsal = ''] = /## Rehearse errors[\s\S]*?(?=The token endpoint)/.exec(guide) ?? [];
  const offered = [...rehearsal.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);
  expect([[...simulated].sort(), offered.sort()]).toEqual([names, names]);
});
