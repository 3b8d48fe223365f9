import { describe, expect, test } from '@jest/globals';
import type { AuditEvent, JsonObject } from '../../platform/actor.ts';
import { chosenTopics, roleChangeOf, ruleOf, topics } from './notice.ts';

const actor = { kind: 'person', id: 'per_ada', clientIp: undefined, requestId: 'req_1' } as const;
const eventOf = (action: string, details: JsonObject, subjectId = 'per_bob'): AuditEvent => ({
  actor,
  businessId: 1,
  action,
  subjectId,
  details,
});
const bothAsSecurity = { topic: 'security', to: 'member and owners' };
const memberAlone = { topic: 'team', to: 'member' };
const ownersAsSecurity = { topic: 'security', to: 'owners' };

describe('the rule for people of a business', () => {
  test.each([
    [{ role: { from: 'developer', to: 'viewer' } }, memberAlone],
    [{ role: { from: 'developer', to: 'owner' } }, bothAsSecurity],
    [{ role: { from: 'owner', to: 'viewer' } }, bothAsSecurity],
    // As a restore records it.
    [{ role: 'viewer' }, memberAlone],
    [{}, memberAlone],
  ])('applies to a changed role with the details %j', (details, rule) => {
    expect(ruleOf(eventOf('member.role_changed', details))).toEqual(rule);
  });

  test.each([
    ['developer', 'per_bob', memberAlone],
    ['owner', 'per_bob', bothAsSecurity],
    ['developer', actor.id, { topic: 'team', to: 'owners' }],
    ['owner', actor.id, ownersAsSecurity],
  ])('applies to a removed %s with the subject %s', (role, subjectId, rule) => {
    expect(ruleOf(eventOf('member.removed', { role }, subjectId))).toEqual(rule);
  });

  test.each([
    ['owner', ownersAsSecurity],
    ['viewer', undefined],
  ])('applies to a person who joined as %s', (role, rule) => {
    expect(ruleOf(eventOf('member.joined', { role }))).toEqual(rule);
  });
});

describe('owners get a notice of an act that can give access', () => {
  const added = { from: ['a'], to: ['a', 'b'] };
  test.each<[string, JsonObject, boolean]>([
    ['api_key.created', { keyType: 'secret' }, true],
    ['api_key.created', { keyType: 'restricted' }, false],
    ['api_key.rotated', { keyType: 'secret' }, true],
    ['api_key.rotated', {}, false],
    ['application.created', {}, true],
    ['application.secret_rotated', { ended: [] }, true],
    ['application.updated', { redirectUris: added }, true],
    ['application.updated', { ipWhitelist: added }, true],
    [
      'application.updated',
      { ipWhitelist: { from: ['a', 'b'], to: ['a'] }, name: { from: 'x', to: 'y' } },
      false,
    ],
    ['webhook_endpoint.created', { url: 'https://a.example' }, true],
    ['webhook_endpoint.updated', { url: { from: 'https://a.example', to: 'https://b.example' } }, true],
    ['webhook_endpoint.updated', { description: { from: '', to: 'Till' } }, false],
  ])('%s with %j leads to a notice: %s', (action, details, isHeard) => {
    const event = eventOf(action, details, 'key_1');
    expect(ruleOf(event)).toEqual(isHeard ? ownersAsSecurity : undefined);
    expect(ruleOf({ ...event, actor: { ...actor, kind: 'operator' } })).toBeUndefined();
  });
});

test('a role is read from a change and from a restore', () => {
  expect(roleChangeOf({ role: { from: 'viewer', to: 'owner' } })).toEqual({ from: 'viewer', to: 'owner' });
  expect(roleChangeOf({ role: 'viewer' })).toEqual({ from: undefined, to: 'viewer' });
  expect(roleChangeOf({})).toEqual({ from: undefined, to: undefined });
});

test('people choose how to be notified of every topic except security', () => {
  expect(['security', ...chosenTopics]).toEqual(Object.keys(topics));
});
