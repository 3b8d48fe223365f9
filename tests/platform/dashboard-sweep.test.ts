import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { createBrowser } from '../harness/browser.ts';
import type { HttpResponse } from '../harness/http-request.ts';
import { joinBusiness, logIn, signUpVerified, type TestPerson } from '../harness/people.ts';
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
 * Every operation of the dashboard API, from the list that the API describes itself with: one that is added is tried too.
 */

const document = printedDocument();
const operations = operationsOf(document);
const named = (list: readonly SweptOperation[]) =>
  list.map((operation) => [operation.id, operation] as const);
const writes = operations.filter(({ method }) => method !== 'GET');
/** Streams by HEAD, which ends. */
const reads = operations
  .filter(({ method }) => method === 'GET')
  .map((operation) => ({ ...operation, ...(operation.isStream && { method: 'HEAD' }) }));
const withBody = operations.filter(({ body }) => body !== undefined);
const ofBusinesses = operations.filter(({ parameters }) => parameters.includes('businessId'));
const ofObjects = operations.filter(({ parameters }) => parameters.some((name) => name !== 'businessId'));

const platform = running(sharedPlatform);
let victim: Victim;
let attacker: TestPerson;
let developer: TestPerson;
let viewer: TestPerson;
/** Another session of the victim. */
let elsewhere: Pick<TestPerson, 'browser'>;
beforeAll(async () => {
  [victim, attacker, developer, viewer] = await Promise.all([
    makeVictim(platform),
    signUpVerified(platform),
    signUpVerified(platform),
    signUpVerified(platform),
  ]);
  await joinBusiness(platform, developer, victim.businessId, 'developer');
  await joinBusiness(platform, viewer, victim.businessId, 'viewer');
  elsewhere = { browser: await logIn(platform, victim.person) };
});

const resolve = (reference: string) => document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
const bodyFor = ({ body }: SweptOperation) => (body === undefined ? undefined : sampleOf(body, resolve));

interface Attempt {
  readonly businessId: number;
  readonly body?: unknown;
  /** The CSRF token of the person's session where absent; null for none. */
  readonly token?: string | null;
}

/** Calls an operation on the victim's objects, as another person. */
async function attempt(
  person: Pick<TestPerson, 'browser'>,
  operation: SweptOperation,
  { businessId, body = bodyFor(operation), token }: Attempt,
  of: Victim = victim,
): Promise<HttpResponse> {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'businessId' ? String(businessId) : of.identifier(name),
  );
  const shown = token === undefined ? await csrfTokenOf(person) : token;
  const query = String(new URLSearchParams(operation.query));
  return person.browser.send(operation.method, `/dashboard-api${path}${query && `?${query}`}`, {
    headers: { ...(shown !== null && { 'X-CSRF-Token': shown }) },
    ...(body !== undefined && { body }),
  });
}

async function csrfTokenOf({ browser }: Pick<TestPerson, 'browser'>): Promise<string> {
  const session = await browser.send('GET', '/dashboard-api/session');
  return z.object({ csrfToken: z.string() }).parse(session.json()).csrfToken;
}

test('the served document is the one that these tests are derived from', async () => {
  const served = (
    await createBrowser(platform.gatewayPorts[0] ?? 0).send('GET', '/dashboard-api/openapi.json')
  ).json();
  // The name of the cookie has the port of the platform.
  const cookie = `"session-${new URL(platform.publicUrl).port}"`;
  const printed: object = JSON.parse(JSON.stringify(document).replace('"session-8080"', cookie));
  expect({ ...printed, servers: [{ url: `${platform.publicUrl}/dashboard-api` }] }).toEqual(served);
});

test.each(named(operations))('%s: 401 without a session', async (_, operation) => {
  const stranger = { browser: createBrowser(platform.gatewayPorts[0] ?? 0) };
  const response = await attempt(stranger, operation, { businessId: victim.businessId, token: null });
  expect([response.status, response.json()]).toMatchObject([401, { code: 401 }]);
});

describe('CSRF', () => {
  test.each(named(writes))(
    '%s: 403 without a token, and with that of another session',
    async (_, operation) => {
      for (const token of [null, '', 'x', await csrfTokenOf(elsewhere)]) {
        const response = await attempt(victim.person, operation, { businessId: victim.businessId, token });
        expect([response.status, response.json()]).toMatchObject([403, { code: 403 }]);
      }
    },
  );

  test.each(named(reads))('%s changes nothing and needs no token', async (_, operation) => {
    const before = await victim.state();
    const response = await attempt(victim.person, operation, { businessId: victim.businessId, token: null });
    // Of webhooks there is nothing to find without a webhook-service, nor of a sandbox in another business.
    expect(/\/(webhook|sandbox)/.test(operation.path) ? [200, 404] : [200]).toContain(response.status);
    expect(await victim.state()).toEqual(before);
  });
});

describe('objects of another business do not exist for a person, and are not changed', () => {
  test.each(named(ofBusinesses))('%s: 404 for another business', async (_, operation) => {
    const before = await victim.state();
    const response = await attempt(attacker, operation, { businessId: victim.businessId });
    expect([response.status, response.json()]).toMatchObject([404, { code: 404 }]);
    expect(await victim.state()).toEqual(before);
  });

  test.each(named(ofObjects))(
    '%s: 404 for an object of another business in the path of the own business',
    async (_, operation) => {
      const before = await victim.state();
      const response = await attempt(attacker, operation, { businessId: attacker.businessId });
      expect([response.status, response.json()]).toMatchObject([404, { code: 404 }]);
      expect(await victim.state()).toEqual(before);
    },
  );
});

describe('a sandbox and a real business of the same person do not reach each other', () => {
  let sandboxed: Victim;
  let sandboxId: number;
  let realId: number;
  beforeAll(async () => {
    sandboxed = await makeVictim(platform);
    sandboxId = await makeBusiness(victim.person, '/sandboxes');
    const name = { accountHolder: 'Real', username: `real-${sandboxed.businessId}` };
    realId = await makeBusiness(sandboxed.person, '/businesses', name);
    const text = 'INSERT INTO sandboxes (business_id, person_id) VALUES ($1, $2)';
    await platform.sql(text, [sandboxed.businessId, sandboxed.person.id]);
  });

  async function makeBusiness(person: Pick<TestPerson, 'browser'>, path: string, body?: object) {
    const headers = { 'X-CSRF-Token': await csrfTokenOf(person) };
    const response = await person.browser.send('POST', `/dashboard-api${path}`, { headers, body });
    return Number(z.object({ businessId: z.string() }).parse(response.json()).businessId);
  }

  // A path of a person's own, or of the platform, has no business.
  test.each(named(ofObjects.filter((operation) => ofBusinesses.includes(operation))))(
    '%s: 404 for an object of the one in the path of the other, in both directions',
    async (_, operation) => {
      for (const [of, businessId] of [
        [victim, sandboxId],
        [sandboxed, realId],
      ] as const) {
        const before = await of.state();
        const response = await attempt(of.person, operation, { businessId }, of);
        expect([response.status, response.json()]).toMatchObject([404, { code: 404 }]);
        expect(await of.state()).toEqual(before);
      }
    },
  );
});

describe('roles', () => {
  test.each(named(ofBusinesses.filter(({ role }) => role === 'owner')))(
    '%s: 403 for a developer',
    async (_, operation) => {
      const before = await victim.state();
      const response = await attempt(developer, operation, { businessId: victim.businessId });
      expect([response.status, response.json()]).toMatchObject([403, { code: 403, reason: 'not_owner' }]);
      expect(await victim.state()).toEqual(before);
    },
  );

  test.each(named(ofBusinesses.filter(({ method }) => method !== 'GET')))(
    '%s: 403 for a viewer, with the role that it needs',
    async (_, operation) => {
      const before = await victim.state();
      const response = await attempt(viewer, operation, { businessId: victim.businessId });
      // A viewer may leave the team, and remove no other person from it.
      const needed = operation.role === 'viewer' ? 'owner' : operation.role;
      const refused = {
        code: 403,
        reason: `not_${needed}`,
        error: expect.stringContaining(`role ${needed}:`),
      };
      expect([response.status, response.json()]).toMatchObject([403, refused]);
      expect(await victim.state()).toEqual(before);
    },
  );

  test.each(named(reads.filter(({ parameters }) => parameters.includes('businessId'))))(
    '%s: a viewer reads what a developer reads',
    async (_, read) => {
      const [asViewer, asDeveloper] = await Promise.all(
        [viewer, developer].map((person) => attempt(person, read, { businessId: victim.businessId })),
      );
      expect(asViewer?.status).toBe(asDeveloper?.status);
      expect(asViewer?.status).not.toBe(403);
      expect(shapeOf(asViewer)).toEqual(shapeOf(asDeveloper));
    },
  );

  test('viewers may only read, except for leaving a team', () => {
    const forViewers = writes.filter(({ role }) => role === 'viewer').map(({ id }) => id);
    expect(forViewers).toEqual(['removeMember']);
  });

  /** Names and kinds of everything in a response. Only of oneself a person reads whether there is a second factor. */
  const shapeOf = (response: HttpResponse | undefined) =>
    JSON.stringify(response?.text.startsWith('{') ? response.json() : null, (name, value: unknown) => {
      if (name === 'hasSecondFactor') return null;
      return typeof value === 'object' ? value : typeof value;
    });
});

describe('a business that requires a second factor', () => {
  const change = (text: string, values: unknown[]) => platform.sql(text, values);
  beforeAll(() =>
    change('INSERT INTO second_factor_requirements (business_id, person_id) VALUES ($1, $2)', [
      victim.businessId,
      victim.person.id,
    ]),
  );
  afterAll(() =>
    change('DELETE FROM second_factor_requirements WHERE business_id = $1', [victim.businessId]),
  );

  test.each(named(ofBusinesses))('%s: 403 for its people without one, owners too', async (_, operation) => {
    const before = await victim.state();
    for (const person of [victim.person, developer, viewer]) {
      const response = await attempt(person, operation, { businessId: victim.businessId });
      const refused = { code: 403, reason: 'second_factor_required' };
      expect([response.status, response.json()]).toMatchObject([403, refused]);
    }
    expect(await victim.state()).toEqual(before);
  });
});

describe('mass assignment', () => {
  const unasked = [
    'id',
    'businessId',
    'business_id',
    'personId',
    'status',
    'limit',
    'createdAt',
    '__proto__x',
    'isAdmin',
  ];

  test.each(named(withBody))('%s refuses unknown fields', async (_, operation) => {
    const properties = Object.keys((operation.body && flatten(operation.body).properties) ?? {});
    expect(operation.body && flatten(operation.body).additionalProperties).toBe(false);
    const before = await victim.state();
    for (const field of unasked.filter((name) => !properties.includes(name))) {
      const body = { ...z.record(z.string(), z.unknown()).parse(bodyFor(operation)), [field]: 'x' };
      const response = await attempt(victim.person, operation, { businessId: victim.businessId, body });
      expect([response.status, response.json()]).toMatchObject([
        400,
        { fields: { [field]: 'does not belong here' } },
      ]);
    }
    expect(await victim.state()).toEqual(before);
  });

  test.each(named(withBody))('%s refuses lone surrogates', async (_, operation) => {
    const sample = z.record(z.string(), z.unknown()).parse(bodyFor(operation));
    const before = await victim.state();
    for (const [field, value] of Object.entries(sample)) {
      const isList = Array.isArray(value);
      if (typeof value !== 'string' && !isList) continue;
      const body = { ...sample, [field]: isList ? ['a\ud800b'] : 'a\ud800b' };
      const response = await attempt(victim.person, operation, { businessId: victim.businessId, body });
      expect([field, response.status]).toEqual([field, 400]);
    }
    expect(await victim.state()).toEqual(before);
  });

  const flatten = (schema: NonNullable<SweptOperation['body']>) =>
    schema.$ref === undefined ? schema : resolve(schema.$ref);
});

describe('unreadable requests', () => {
  test.each(named(withBody))(
    '%s: 400 for no JSON, 415 for no JSON type, 413 for too much',
    async (_, operation) => {
      const before = await victim.state();
      const send = async (body: string, type: string) =>
        (
          await victim.person.browser.send(operation.method, pathOf(operation), {
            headers: { 'X-CSRF-Token': await csrfTokenOf(victim.person), 'Content-Type': type },
            body,
          })
        ).status;
      expect(await send('{"a":', 'application/json')).toBe(400);
      expect(await send('[]', 'application/json')).toBe(400);
      expect(await send('null', 'application/json')).toBe(400);
      expect(await send('{}', 'text/plain')).toBe(415);
      expect(await send(JSON.stringify({ name: 'x'.repeat(70_000) }), 'application/json')).toBe(413);
      expect(await victim.state()).toEqual(before);
    },
  );

  test.each(named(ofObjects))('%s: 404 for an invalid identifier', async (_, operation) => {
    for (const wrong of ['%00', '..%2f..', "'%20OR%201=1--", 'x'.repeat(65)]) {
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
        name === 'businessId' ? String(victim.businessId) : wrong,
      );
      const response = await victim.person.browser.send(operation.method, `/dashboard-api${path}`, {
        headers: { 'X-CSRF-Token': await csrfTokenOf(victim.person) },
        ...(operation.body !== undefined && { body: bodyFor(operation) }),
      });
      expect([400, 404]).toContain(response.status);
    }
  });

  const pathOf = ({ path }: SweptOperation) =>
    `/dashboard-api${path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      name === 'businessId' ? String(victim.businessId) : victim.identifier(name),
    )}`;
});
