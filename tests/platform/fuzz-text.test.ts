import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { createBrowser } from '../harness/browser.ts';
import { orderBody } from '../harness/business-platform.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { restricted } from '../harness/made-key.ts';
import { oauthClient } from '../harness/oauth.ts';
import { makeOperator, type TestOperator } from '../harness/operators.ts';
import { newAddress } from '../harness/people.ts';
import { settings } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';
import { sharedPlatform } from '../harness/shared-platform.ts';
import {
  operationsOf,
  printedDocument,
  type SweptOperation,
  sampleOf,
} from '../harness/sweep/dashboard-document.ts';
import { makeVictim, type Victim } from '../harness/sweep/victim.ts';

/*
 * Any text in every text field and parameter of both APIs and of the OAuth endpoints, and in parameters of the operators' API: no
 * 500. Bodies are otherwise valid, so that texts come as far as they can. The bodies of the dashboard API come from its document:
 * one that is added is tried too.
 */

const document = printedDocument();
const resolve = (reference: string) => document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
const facts = { legalName: 'Acme Limited', registrationNumber: 'HRB 1', country: 'DE' };
const webhook = { url: 'https://receiver.example/', description: 'a', events: ['order.created'] };
/** Bodies that are accepted, where a sample of the schema is not. */
const accepted: Readonly<Record<string, unknown>> = {
  createApiKey: { ...restricted, expiresAt: '2999-01-01T00:00:00Z' },
  updateApiKey: { name: 'Shop', description: 'Fetches orders', scopes: ['orders:read'] },
  createApplication: { ...settings, allowedOrigins: ['https://shop.example'] },
  updateApplication: { ...settings, allowedOrigins: ['https://shop.example'] },
  submitVerification: facts,
  freezeBusiness: { reason: 'a leak' },
  inviteMember: { email: newAddress('grace'), role: 'developer' },
  createWebhookEndpoint: webhook,
  updateWebhookEndpoint: webhook,
};
const bodyOf = ({ id, body }: SweptOperation): unknown => accepted[id] ?? (body && sampleOf(body, resolve));

/** Texts that parsers, PostgreSQL and URLs read differently. */
const hostile = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'a\udfffb',
  '\udc00\ud800',
  '\uffff',
  '\u202e\u200b',
  '\u{10ffff}',
  "'; DROP TABLE people; --",
  '%00%ff%',
  '../..//',
  '__proto__',
  '-9223372036854775809',
  '1e999',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+00:01',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59-01:00',
  Buffer.from('p1:999999999999999:a').toString('base64url'),
  'a'.repeat(10_000),
  '\u0301'.repeat(2_000),
];
const anyText = fc.oneof(
  fc.constantFrom(...hostile),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((codes) => String.fromCharCode(...codes)),
);
const texts = [...hostile, ...fc.sample(anyText, 4)];

/** Texts that no database keeps, after one that is valid: a pattern may look at the begin alone. */
const endings = ['\u0000', '\ud800'];

/** A value of each parameter that has a pattern. */
const validValues: Readonly<Record<string, string>> = {
  action: 'api_key.created',
  actor: 'person:per_1',
  credential: 'key_1',
  cursor: '1',
  from: '2026-01-31T12:00:00Z',
  reason: 'insufficient_scope',
  text: 'Analytical Engines',
  to: '2026-01-31T13:00:00Z',
};

/** Each body in which one text, or the name of one field, is another text. */
function* bodiesWith(body: unknown, text: string): Generator<unknown> {
  if (typeof body === 'string') yield* endings.includes(text) ? [text, body + text] : [text];
  if (typeof body !== 'object' || body === null) return;
  const rebuilt = (entries: [string, unknown][]) =>
    Array.isArray(body) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  for (const [name, value] of Object.entries(body)) {
    for (const changed of bodiesWith(value, text)) {
      yield rebuilt(Object.entries({ ...body, [name]: changed }));
    }
  }
  if (!Array.isArray(body)) yield { ...body, [text]: 'x' };
}

const platform = running(sharedPlatform);
let victim: Victim;
let csrfToken: string;
beforeAll(async () => {
  victim = await makeVictim(platform);
  const session = await victim.person.browser.send('GET', '/dashboard-api/session');
  csrfToken = z.object({ csrfToken: z.string() }).parse(session.json()).csrfToken;
});

/** Sends all, a few at once. @throws when a response is a 500, or another that is none of a client's errors */
async function expectNoFailure<T>(inputs: readonly T[], send: (input: T) => Promise<HttpResponse>) {
  const atOnce = 4;
  for (let at = 0; at < inputs.length; at += atOnce) {
    await Promise.all(
      inputs.slice(at, at + atOnce).map(async (input) => {
        const { status, text } = await send(input);
        // 503: the shared platform has no webhook-service.
        const isFine = status < 500 || (status === 503 && text.includes('webhook'));
        expect([JSON.stringify(input).slice(0, 300), text, isFine]).toEqual([expect.anything(), text, true]);
      }),
    );
  }
}

const changesOf = (body: unknown) => texts.flatMap((text) => [...bodiesWith(body, text)]);

const inPath = (path: string, change: (name: string) => string = (name) => victim.identifier(name)) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'businessId' ? String(victim.businessId) : change(name),
  );

const call = (method: string, path: string, body?: unknown) =>
  victim.person.browser.send(method, `/dashboard-api${path}`, {
    headers: { 'X-CSRF-Token': csrfToken },
    ...(body !== undefined && { body: JSON.stringify(body), headers: jsonHeaders() }),
  });
const jsonHeaders = () => ({ 'X-CSRF-Token': csrfToken, 'Content-Type': 'application/json' });

const operations = operationsOf(document);
const named = (list: readonly SweptOperation[]) => list.map((one) => [one.id, one] as const);

describe('the dashboard API', () => {
  test.each(named(operations.filter(({ body }) => body !== undefined)))('body: %s', async (_, operation) => {
    const { method, path } = operation;
    const query = path.includes('webhook') ? `?applicationId=${victim.identifier('applicationId')}` : '';
    await expectNoFailure(changesOf(bodyOf(operation)), (body) => call(method, inPath(path) + query, body));
  });

  test.each(named(readsOf(operations)))('parameters: %s', async (_, operation) => {
    await expectNoFailure(pathsWith(operation), (each) => call('GET', each));
  });
});

describe("the operators' API", () => {
  let operator: TestOperator;
  beforeAll(async () => {
    operator = await makeOperator(platform);
  });

  test.each(named(readsOf(operationsOf(printedDocument('operators')))))('parameters: %s', async (_, each) => {
    await expectNoFailure(pathsWith(each), (path) =>
      operator.browser.send('GET', `/operators/api/v1${path}`),
    );
  });
});

function readsOf(list: readonly SweptOperation[]): SweptOperation[] {
  return list.filter(({ id, method }) => method === 'GET' && !id.startsWith('watch'));
}

/** Paths of an operation in which one parameter is another text, or ends in one. */
function pathsWith({ path, parameters, queryNames, query }: SweptOperation): string[] {
  const encoded = texts.map(percent).filter((text) => text.length < 2_000);
  return [
    ...queryNames.flatMap((name) => {
      const others = new URLSearchParams(Object.entries(query).filter(([other]) => other !== name));
      const valid = endings.map((text) => `${query[name] ?? validValues[name] ?? 'a'}${text}`).map(percent);
      return [...encoded, ...valid].map(
        (text) => `${inPath(path)}?${others}${others.size > 0 ? '&' : ''}${name}=${text}`,
      );
    }),
    ...parameters.flatMap((changed) =>
      encoded.map((text) => inPath(path, (name) => (name === changed ? text : victim.identifier(name)))),
    ),
  ];
}

/** Any UTF-16 as bytes of a URL, lone surrogates too. */
function percent(text: string): string {
  const bytes = [...text].flatMap((each) => [
    ...(each.isWellFormed() ? Buffer.from(each) : [0xed, 0xa0, 0x80]),
  ]);
  return bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

const guide = fileURLToPath(new URL('../../api/platform.yaml', import.meta.url));

describe('the API', () => {
  const order = {
    ...orderBody,
    line_items: [{ name: 'Tea', sku: 'T-1', quantity: 2, unit_amount: 450 }],
    customer: { name: 'Ada', email: 'ada@example.com' },
    metadata: { channel: 'web' },
  };
  const change = {
    status: 'paid',
    customer: { name: 'Ada', email: 'ada@example.com' },
    metadata: { a: 'b' },
  };
  const send = (key: string, method: string, path: string, body: unknown) =>
    platform.request(0, method, path, {
      key,
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });

  test('has no other operations with a body', () => {
    const [paths = ''] = readFileSync(guide, 'utf8').split(/^webhooks:/m);
    const withBody = [...paths.matchAll(/operationId: (\w+)(?:(?!operationId).)*?requestBody:/gs)];
    expect(withBody.map(([, id]) => id)).toEqual([
      'createOrder',
      'changeOrder',
      'reportLeaks',
      'reportGithubLeaks',
      'issueTokens',
      'revokeToken',
    ]);
  });

  test('bodies of reports of leaks', async () => {
    const report = { strings: ['sk_a'], url: 'https://example.com/a', source: 'a' };
    await expectNoFailure(changesOf(report), (body) => send('', 'POST', '/v2/leaks', body));
  });

  test('bodies of orders', async () => {
    const { keyString } = await platform.createKey();
    const created = await send(keyString, 'POST', '/v2/order', order);
    expect(created.status).toBe(201);
    const { id } = z.object({ id: z.string() }).parse(created.json());
    await expectNoFailure(changesOf(order), (body) => send(keyString, 'POST', '/v2/order', body));
    await expectNoFailure(changesOf(change), (body) => send(keyString, 'PATCH', `/v2/order/${id}`, body));
    const encoded = texts.map(percent).filter((text) => text.length < 2_000);
    const names = ['limit', 'cursor', 'status', 'created_from', 'created_to', 'after', 'types', 'wait'];
    const paths = encoded.flatMap((text) => [
      `/v2/order/${text}`,
      ...names.flatMap((name) => [`/v2/order?${name}=${text}`, `/v2/events?${name}=${text}`]),
    ]);
    await expectNoFailure(paths, (path) => platform.request(1, 'GET', path, { key: keyString }));
  });

  test.each(['/v2/oauth/token', '/v2/oauth/revoke'])('JSON and forms: %s', async (path) => {
    const application = await platform.createApplication({
      businessId: await platform.createVerifiedBusiness('maker'),
    });
    const { clientId: client_id, clientSecret: client_secret } = application;
    const both = { client_id, client_secret, code: 'x', code_verifier: 'v'.repeat(43), token: 'x' };
    const bodies = ['authorization_code', 'refresh_token'].flatMap((grant_type) =>
      changesOf({
        ...both,
        grant_type,
        refresh_token: 'x',
        scope: 'orders:read',
        token_type: 'access_token',
      }),
    );
    const headers = { 'Content-Type': 'application/json' };
    await expectNoFailure(bodies, (body) =>
      platform.request(0, 'POST', path, { headers, body: JSON.stringify(body) }),
    );
    const { post } = oauthClient(platform, application);
    const fields = texts.flatMap((text) =>
      ['code', 'code_verifier', 'token', 'refresh_token', 'redirect_uri'].map((name) => ({ [name]: text })),
    );
    await expectNoFailure(fields, async (field) => {
      const given = { grant_type: 'authorization_code', token_type: 'access_token', ...both, ...field };
      return (await post(path, given)).response;
    });
  });
});

describe('forms', () => {
  test.each([
    ['/login', { email: newAddress('ada'), password: 'x' }],
    ['/signup', { email: newAddress('ada') }],
    ['/password/forgot', { email: newAddress('ada') }],
    ['/password/reset?token=x', { token: 'x', new_password: 'seven brass wheels' }],
  ])('%s', async (path, fields) => {
    const browser = createBrowser(platform.gatewayPorts[0] ?? 0);
    const page = await browser.open('/login');
    const [, token = ''] = /name="_csrf" value="([^"]*)"/.exec(page.text) ?? [];
    // A password costs the time of its hash.
    const names = Object.keys(fields).filter((name) => name !== 'password');
    const forms = texts.flatMap((text) =>
      names.map((name) => {
        const others = Object.entries({ ...fields, _csrf: token }).filter(([other]) => other !== name);
        return `${new URLSearchParams(others)}&${name}=${percent(text)}`;
      }),
    );
    await expectNoFailure(
      forms.filter((form) => form.length < 10_000),
      (form) =>
        browser.send('POST', path.replace(/\?.*/, ''), {
          body: form,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        }),
    );
  });
});
