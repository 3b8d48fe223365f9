import { expect, test } from '@jest/globals';
import { auditSpecs } from './audit/dashboard.ts';
import { businessSpecs } from './businesses/dashboard-schema.ts';
import { overviewSpecs } from './businesses/overview/dashboard.ts';
import { apiKeysSpecs } from './credentials/api-keys/dashboard-schema.ts';
import { applicationsSpecs } from './credentials/applications/dashboard-schema.ts';
import { profileSpecs } from './people/profile/dashboard-schema.ts';
import { passkeySpecs } from './people/profile/passkeys/dashboard-schema.ts';
import { teamSpecs } from './people/team/dashboard-schema.ts';
import { requestsSpecs } from './traffic/dashboard-schema.ts';
import { InvalidInput, parseFields } from './web/dashboard-api/input.ts';
import type { Spec } from './web/dashboard-api/spec.ts';
import { webhooksSpecs } from './webhooks/dashboard-schema.ts';

/*
 * What operations refuse before any rule of their noun: by its type, or by what a parameter may be. That the error reaches
 * the page, and that no operation takes a field that it does not name, is shown by tests/platform/dashboard-sweep.test.ts.
 */

const specs = new Map(
  [
    ...apiKeysSpecs,
    ...applicationsSpecs,
    ...auditSpecs,
    ...businessSpecs,
    ...overviewSpecs,
    ...passkeySpecs,
    ...profileSpecs,
    ...teamSpecs,
    ...requestsSpecs,
    ...webhooksSpecs,
  ].map((spec: Spec) => [spec.id, spec]),
);

function specOf(id: string): Spec {
  const spec = specs.get(id);
  if (spec === undefined) throw new Error(`there is no operation ${id}`);
  return spec;
}

function refusedFields(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof InvalidInput) return Object.keys(error.fields).sort();
    throw error;
  }
  return [];
}

const key = { name: 'Shop', keyType: 'restricted', scopes: ['orders:read'] };
const app = {
  name: 'Shop',
  description: 'Sends orders out',
  redirectUris: ['https://shop.example/callback'],
  scopes: ['orders:read'],
  ipWhitelist: ['192.0.2.1'],
};
const facts = { legalName: 'Tea Ltd', registrationNumber: '42', country: 'GB' };
const passwords = { current: 'x', next: 'y' };
const endpoint = { url: 'https://shop.example/hook' };
const invitation = { email: 'ada@example.com', role: 'developer' };
const response = { clientDataJSON: 'AA', attestationObject: 'AA', transports: ['usb'] };
const credential = { id: 'AA', rawId: 'AA', type: 'public-key', response };
const passkey = { name: 'Key', credential };

test.each<[string, object, object, string]>([
  ['createApiKey', key, { keyType: 'public' }, 'keyType'],
  ['createApiKey', key, { expiresAt: '2027-01-01' }, 'expiresAt'],
  ['createApiKey', key, { name: 7 }, 'name'],
  ['createApplication', app, { name: 7 }, 'name'],
  ['createApplication', app, { redirectUris: 'https://shop.example/callback' }, 'redirectUris'],
  ['createApplication', app, { webhookEvents: ['order.lost'] }, 'webhookEvents.0'],
  ['updateApplication', {}, { allowedOrigins: 'https://a.example' }, 'allowedOrigins'],
  ['updateApplication', {}, { webhooksEnabled: 'yes' }, 'webhooksEnabled'],
  ['updateApplication', {}, { name: null }, 'name'],
  ['submitVerification', facts, { country: 49 }, 'country'],
  ['submitVerification', facts, { legalName: undefined }, 'legalName'],
  ['changePassword', passwords, { current: 1 }, 'current'],
  ['changePassword', passwords, { next: undefined }, 'next'],
  ['inviteMember', invitation, { role: 'admin' }, 'role'],
  ['inviteMember', invitation, { role: undefined }, 'role'],
  ['inviteMember', invitation, { email: ['ada@example.com'] }, 'email'],
  ['createWebhookEndpoint', endpoint, { url: '' }, 'url'],
  ['createWebhookEndpoint', endpoint, { url: 7 }, 'url'],
  ['createWebhookEndpoint', endpoint, { events: 'order.paid' }, 'events'],
  ['createWebhookEndpoint', endpoint, { description: 'a'.repeat(201) }, 'description'],
  ['updateWebhookEndpoint', {}, { url: '' }, 'url'],
  ['updateWebhookEndpoint', {}, { url: 7 }, 'url'],
  ['updateWebhookEndpoint', {}, { events: 'order.paid' }, 'events'],
  ['updateWebhookEndpoint', {}, { description: 'a'.repeat(201) }, 'description'],
  ['addPasskey', passkey, { name: 1 }, 'name'],
  ['addPasskey', passkey, { name: undefined }, 'name'],
  ['addPasskey', passkey, { credential: undefined }, 'credential'],
  ['addPasskey', passkey, { credential: { ...credential, id: 'a'.repeat(1_365) } }, 'credential.id'],
  ['addPasskey', passkey, { credential: { ...credential, rawId: 1 } }, 'credential.rawId'],
  ['addPasskey', passkey, { credential: { ...credential, type: 'password' } }, 'credential.type'],
  ['addPasskey', passkey, { credential: { ...credential, response: null } }, 'credential.response'],
  [
    'addPasskey',
    passkey,
    { credential: { ...credential, response: { ...response, transports: Array(11).fill('usb') } } },
    'credential.response.transports',
  ],
  [
    'addPasskey',
    passkey,
    { credential: { ...credential, response: { ...response, clientDataJSON: 'ü' } } },
    'credential.response.clientDataJSON',
  ],
])('%s accepts %j, and refuses it with %j', (id, valid, change, field) => {
  const read = (body: object) => refusedFields(() => parseFields(specOf(id).body, body));
  expect([read(valid), read({ ...valid, ...change })]).toEqual([[], [field]]);
});

const [first, second, later] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z', '2026-06-01T00:00:00Z'];

test.each<[string, Readonly<Record<string, string | undefined>>, string]>([
  ...['listAuditEvents', 'exportAuditEvents'].flatMap((id): [string, Record<string, string>, string][] => [
    [id, { action: 'anything' }, 'action'],
    [id, { action: 'api_key.%' }, 'action'],
    [id, { actor: 'ada' }, 'actor'],
    [id, { actor: 'robot:1' }, 'actor'],
    [id, { from: 'yesterday' }, 'from'],
    [id, { from: second, to: first }, 'to'],
  ]),
  ['listAuditEvents', { cursor: 'first' }, 'cursor'],
  ['listAuditEvents', { cursor: '-1' }, 'cursor'],
  ['listRequests', { status: '600' }, 'status'],
  ['listRequests', { reason: 'no word' }, 'reason'],
  ['listRequests', { credential: "'" }, 'credential'],
  ['listRequests', { cursor: 'first' }, 'cursor'],
  ['listRequests', { from: 'today' }, 'from'],
  ['listRequests', { from: second, to: first }, 'to'],
  ['getOverview', { from: undefined, to: first }, 'from'],
  ['getOverview', { from: first, to: undefined }, 'to'],
  ['getOverview', { from: second, to: first }, 'to'],
  ['getOverview', { from: first, to: later }, 'from'],
  ['getOverview', { from: 'today', to: later }, 'from'],
  ['listWebhookDeliveries', { endpointId: 'x' }, 'endpointId'],
  ['listWebhookDeliveries', { since: 'today' }, 'since'],
  ['listWebhookDeliveries', { type: 'order.lost' }, 'type'],
])('%s refuses the query %j', (id, query, field) => {
  expect(refusedFields(() => parseFields(specOf(id).query, query))).toEqual([field]);
});
