import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { RecordedEvent } from './event.ts';
import { describeEvent, knownActions, readDetails } from './event-description.ts';

test('changes and facts are separate, each with its label', () => {
  const { facts, changes } = readDetails({
    name: 'Tea',
    scopes: { from: ['orders:read'], to: ['business:read', 'orders:read'] },
    webhooksEnabled: { from: true, to: false },
  });
  expect(facts).toEqual([{ field: 'name', label: 'Name', value: 'Tea' }]);
  expect(changes).toEqual([
    { field: 'scopes', label: 'Permissions', from: 'orders:read', to: 'business:read, orders:read' },
    { field: 'webhooksEnabled', label: 'Webhooks', from: 'on', to: 'off' },
  ]);
});

test('a change to the same value is a fact', () => {
  const { facts, changes } = readDetails({ limit: { from: 10_000, to: 10_000 } });
  expect([facts, changes]).toEqual([[{ field: 'limit', label: 'Limit', value: '10,000' }], []]);
});

test('a time stays a number, other numbers become text', () => {
  const { facts } = readDetails({ expiresAt: 1_800_000_000_000, count: 2 });
  expect(facts.map(({ value }) => value)).toEqual([1_800_000_000_000, '2']);
});

test('facts are in the order of their labels, however they are stored', () => {
  const { facts } = readDetails({ colour: 'red', lastFour: 'aB3x', scopes: [], name: 'Tea' });
  expect(facts.map(({ field }) => field)).toEqual(['name', 'scopes', 'lastFour', 'colour']);
});

test('an empty value is null, an empty list is "none"', () => {
  const { facts } = readDetails({ description: '', scopes: [], expiresAt: null });
  expect(facts.map(({ value }) => value)).toEqual([null, 'none', null]);
});

test('only the last four characters of a client secret are shown', () => {
  const { facts } = readDetails({ added: { id: 'cs_1', lastFour: 'aB3x' }, ended: ['cs_0', 'cs_2'] });
  expect(facts).toEqual([
    { field: 'added', label: 'New client secret', value: 'ends with aB3x' },
    { field: 'ended', label: 'Ended client secrets', value: 'cs_0, cs_2' },
  ]);
});

test('identifiers of the subject are hidden; an unknown field has the words of its name, and its value is cut', () => {
  const { facts } = readDetails({ applicationId: 'apl_1', id: 'x', hairColour: { deep: 'x'.repeat(5_000) } });
  expect(facts).toEqual([
    { field: 'hairColour', label: 'Hair colour', value: expect.stringMatching(/^\{"deep":"x{1991}$/) },
  ]);
});

const root = join(import.meta.dirname, '..');

function eventOf(action: string, details: Record<string, unknown> = {}): RecordedEvent {
  return {
    id: '1',
    at: 0,
    actor: { kind: 'person', id: 'per_1', name: 'Ada', email: 'ada@people.test' },
    clientIp: undefined,
    requestId: 'r',
    action,
    subject: { kind: action.split('.', 1)[0] ?? '', id: 'id_1', name: 'Tea', exists: true },
    details,
  };
}

const describeAction = (action: string, details?: Record<string, unknown>) =>
  describeEvent(eventOf(action, details));

/** Actions that only the log of operators has. */
const operatorsAlone = /^(console|operator|api_keys|audit_log|request)\./;

test('every recorded action has a description', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /(?<!\.test)\.ts$/.test(file) && !file.startsWith('generated/'),
  );
  const recorded = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\baction: '([^']+)'/g)].map(([, action]) => action),
  );
  expect(recorded.length).toBeGreaterThan(20);
  const ofBusinesses = recorded.filter((action = '') => !operatorsAlone.test(action));
  expect(ofBusinesses.filter((action = '') => !knownActions.includes(action))).toEqual([]);
});

test('an unknown action is its own description', () => {
  expect(describeAction('teapot.filled')).toBe('teapot.filled');
});

test('a deleted subject without a recorded name is named by its id', () => {
  const event = eventOf('api_key.rotated');
  expect(describeEvent({ ...event, subject: { ...event.subject, name: undefined } })).toBe(
    'Rotated the API key id_1: its old string stopped working',
  );
});

describe('API keys:', () => {
  test.each([
    ['api_key.created', {}, 'Created the API key “Tea”'],
    ['api_key.updated', { name: { from: 'Coffee', to: 'Tea' } }, 'Renamed the API key “Coffee” to “Tea”'],
    [
      'api_key.updated',
      { name: { from: 'Coffee', to: 'Tea' }, scopes: { from: [], to: ['orders:read'] } },
      'Changed name and permissions of the API key “Tea”',
    ],
    ['api_key.updated', { name: 'Tea' }, 'Saved the API key “Tea” without changes'],
    ['api_key.rotated', {}, 'Rotated the API key “Tea”: its old string stopped working'],
    [
      'api_key.limit_set',
      { limit: { from: 10_000, to: 2_500 } },
      'Set the rate limit of the API key “Tea” to 2,500',
    ],
    ['api_key.deleted', {}, 'Deleted the API key “Tea”'],
  ])('%s %j', (action, details, expected) => {
    expect(describeAction(action, details)).toBe(expected);
  });
});

describe('apps:', () => {
  test.each([
    ['application.created', {}, 'Registered the app “Tea”'],
    [
      'application.updated',
      {
        redirectUris: { from: [], to: [] },
        ipWhitelist: { from: [], to: [] },
        webhooksEnabled: { from: false, to: true },
      },
      'Changed redirect URIs, IP whitelist and webhooks of the app “Tea”',
    ],
    ['application.secret_rotated', { ended: [] }, 'Added a second client secret to the app “Tea”'],
    [
      'application.secret_rotated',
      { ended: ['cs_1'] },
      'Rotated the client secret of the app “Tea”: the old one and all access tokens stopped working',
    ],
    ['application.secret_deleted', {}, 'Deleted a client secret of the app “Tea”'],
    [
      'application.limit_set',
      { limit: { from: 50, to: 80 } },
      'Set the connected user limit of the app “Tea” to 80',
    ],
    ['application.deleted', {}, 'Deleted the app “Tea”: all businesses were disconnected'],
    ['grant.created', {}, 'Connected the app “Tea”'],
    [
      'grant.approved_again',
      { scopes: { from: ['a'], to: ['a', 'b'] } },
      'Approved more permissions of the app “Tea”',
    ],
    ['grant.approved_again', { scopes: { from: ['a'], to: ['a'] } }, 'Approved the app “Tea” again'],
    ['grant.ended', { reason: 'disconnected' }, 'Disconnected the app “Tea”'],
    ['grant.ended', { reason: 'revoked' }, 'Revoked the access of the app “Tea”'],
    [
      'grant.ended',
      { reason: 'code_reuse' },
      'Ended the access of the app “Tea”: an authorization code was used twice',
    ],
    [
      'grant.ended',
      { reason: 'refresh_reuse' },
      'Ended the access of the app “Tea”: a refresh token was used twice',
    ],
    [
      'application.connection_ended',
      { business: 'business 7', reason: 'refresh_reuse' },
      'Ended the access of the app “Tea” to business 7: a refresh token was used twice',
    ],
    ['grant.ended', { reason: 'new reason' }, 'Ended the access of the app “Tea”'],
    ['access_token.revoked', {}, 'Revoked an access token of the app “Tea”'],
  ])('%s %j', (action, details, expected) => {
    expect(describeAction(action, details)).toBe(expected);
  });
});

test('a member who removes itself has left', () => {
  const event = eventOf('member.removed');
  expect(describeEvent({ ...event, subject: { ...event.subject, id: event.actor.id } })).toBe(
    'Left the business',
  );
});

describe('people and business:', () => {
  test.each([
    ['person.signed_up', {}, 'Signed up'],
    ['business.created', {}, 'Created the business'],
    ['person.logged_in', { secondFactor: 'none' }, 'Logged in'],
    ['person.logged_in', { secondFactor: 'code' }, 'Logged in with the second factor'],
    ['person.logged_in', { secondFactor: 'recovery_code' }, 'Logged in with a recovery code'],
    ['person.logged_in', { secondFactor: 'passkey' }, 'Logged in with a passkey'],
    ['person.passkey_added', { id: 'psk_1', name: 'Key', firstFactor: true }, 'Added the passkey “Key”'],
    [
      'person.passkey_renamed',
      { id: 'psk_1', name: { from: 'Key', to: 'Laptop' } },
      'Renamed the passkey “Key” to “Laptop”',
    ],
    ['person.passkey_removed', { id: 'psk_1', name: 'Key' }, 'Removed the passkey “Key”'],
    ['person.passkey_removed', { id: 'psk_1', reason: 'A backup was restored.' }, 'Removed a passkey'],
    [
      'person.passkey_refused',
      { id: 'psk_1' },
      'Was refused a passkey that may have been copied: its counter went back',
    ],
    ['person.second_factor_failed', {}, 'Entered the correct password, then a wrong second-factor code'],
    ['person.logged_out', {}, 'Logged out'],
    ['person.session_ended', { session: 'ab12' }, 'Ended a session'],
    ['person.session_ended', { count: 3 }, 'Ended all other sessions (3)'],
    ['person.password_changed', {}, 'Changed the password: all other sessions ended'],
    ['person.password_reset_requested', {}, 'Emailed a link to reset the password of Tea'],
    ['person.password_reset', {}, 'Reset the password through an emailed link: all sessions ended'],
    ['person.second_factor_enabled', {}, 'Turned on the second factor'],
    ['person.second_factor_disabled', {}, 'Turned off the second factor'],
    ['person.recovery_codes_renewed', {}, 'Replaced the recovery codes: the old ones stopped working'],
    ['business.verification_submitted', {}, 'Submitted the business for verification'],
    ['business.frozen', {}, 'Froze API access: all requests were refused from then on'],
    ['business.unfrozen', {}, 'Lifted the freeze: keys and apps worked again'],
    ['member.invited', { email: 'a@b.io', role: 'owner' }, 'Invited a@b.io as an owner'],
    ['member.invitation_withdrawn', { email: 'a@b.io' }, 'Withdrew the invitation of a@b.io'],
    ['member.joined', { role: 'developer' }, 'Accepted an invitation and joined as a developer'],
    ['member.role_changed', { role: { from: 'developer', to: 'owner' } }, 'Made Tea an owner'],
    ['member.removed', {}, 'Removed Tea from the business'],
  ])('%s %j', (action, details, expected) => {
    expect(describeAction(action, details)).toBe(expected);
  });
});
