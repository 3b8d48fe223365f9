import { describe, expect, test } from '@jest/globals';
import { audiencesWith } from '@platform/protos/vocabulary';
import { defaultRules, type MemberKeyRules } from '../credentials/api-keys/member-rules.ts';
import type { Role } from '../platform/role.ts';
import { makerKey, mayReceive, type Recipient, type RecipientFacts } from './recipient.ts';

const publisher = 1;
const connected = 2;

const facts: RecipientFacts = {
  subscribers: new Map([
    [
      'apl_1',
      {
        id: 'apl_1',
        businessId: publisher,
        webhooksEnabled: true,
        isSuspended: false,
        webhookEvents: [
          'api_key.expired',
          'application.connected',
          'application.disconnected',
          'business.banned',
          'order.paid',
        ],
      },
    ],
  ]),
  grants: [{ applicationId: 'apl_1', businessId: connected, scopes: ['orders:read'], isSuspended: false }],
  makers: new Map(),
  frozen: new Set(),
  banned: new Set(),
  audienceOf: audiencesWith([{ name: 'invoice.paid', scope: 'invoices:read' }]),
};

const paid: Recipient = { applicationId: 'apl_1', businessId: connected, type: 'order.paid', madeBy: '' };

const withSubscriber = (change: object) => {
  const [one] = facts.subscribers.values();
  return one === undefined ? new Map() : new Map([['apl_1', { ...one, ...change }]]);
};

test('an application receives its chosen events of its own business and of businesses with a live Grant', () => {
  expect(mayReceive(paid, facts)).toBe(true);
  expect(mayReceive({ ...paid, businessId: publisher }, facts)).toBe(true);
  expect(mayReceive({ ...paid, businessId: publisher, type: '' }, facts)).toBe(true);
});

test.each<[string, Partial<Recipient>, Partial<RecipientFacts>]>([
  ['has not chosen the type', { type: 'order.created' }, {}],
  ['has webhooks off', {}, { subscribers: withSubscriber({ webhooksEnabled: false }) }],
  ['is deleted', {}, { subscribers: new Map() }],
  ['has no live Grant', {}, { grants: [] }],
  ['has a Grant whose scopes do not cover the resource', { type: 'business.banned' }, {}],
  ['has a Grant of another business', { businessId: 3 }, {}],
  ['reads a frozen business', {}, { frozen: new Set([connected]) }],
  ['reads a banned business', {}, { banned: new Set([connected]) }],
  ['belongs to a frozen business', {}, { frozen: new Set([publisher]) }],
  ['belongs to a banned business', {}, { banned: new Set([publisher]) }],
  ['is suspended', {}, { subscribers: withSubscriber({ isSuspended: true }) }],
  [
    'is suspended, and its own business',
    { businessId: publisher },
    { subscribers: withSubscriber({ isSuspended: true }) },
  ],
  [
    'has a suspended connection',
    {},
    { grants: facts.grants.map((grant) => ({ ...grant, isSuspended: true })) },
  ],
])('an application receives nothing that %s', (_, recipient, changed) => {
  expect(mayReceive({ ...paid, ...recipient }, { ...facts, ...changed })).toBe(false);
});

test('an application receives events of an operator’s service of businesses whose Grant has the scope', () => {
  const invoice = { ...paid, type: 'invoice.paid' };
  const chosen = { ...facts, subscribers: withSubscriber({ webhookEvents: ['invoice.paid'] }) };
  expect(mayReceive(invoice, chosen)).toBe(false);
  const grants = facts.grants.map((grant) => ({ ...grant, scopes: ['invoices:read'] }));
  expect(mayReceive(invoice, { ...chosen, grants })).toBe(true);
});

test('a business receives its own events unless it is frozen, and while banned only those of its record', () => {
  const own = { ...paid, applicationId: '', businessId: publisher };
  const banned = { ...facts, banned: new Set([publisher]) };
  expect(mayReceive(own, facts)).toBe(true);
  expect(mayReceive(own, { ...facts, frozen: new Set([publisher]) })).toBe(false);
  expect(mayReceive(own, banned)).toBe(false);
  expect(mayReceive({ ...own, type: 'business.banned' }, banned)).toBe(true);
});

describe('an application is sent events of its own connection', () => {
  const connectedNow = { ...paid, type: 'application.connected' };
  const disconnected = { ...paid, type: 'application.disconnected' };

  test('regardless of its scopes, and the end of the connection even after it', () => {
    expect(mayReceive(connectedNow, facts)).toBe(true);
    expect(mayReceive(disconnected, facts)).toBe(true);
    const ended = { ...facts, grants: [] };
    expect(mayReceive(connectedNow, ended)).toBe(false);
    expect(mayReceive(disconnected, ended)).toBe(true);
  });

  test.each<[string, Partial<RecipientFacts>]>([
    ['webhooks are off', { subscribers: withSubscriber({ webhooksEnabled: false }) }],
    ['it has not chosen the type', { subscribers: withSubscriber({ webhookEvents: ['order.paid'] }) }],
    ['it is deleted', { subscribers: new Map() }],
    ['the business is frozen', { frozen: new Set([connected]) }],
    ['the business is banned', { banned: new Set([connected]) }],
    ['its publisher is frozen', { frozen: new Set([publisher]) }],
    ['it is suspended', { subscribers: withSubscriber({ isSuspended: true }) }],
  ])('unless %s', (_, changed) => {
    expect(mayReceive(disconnected, { ...facts, grants: [], ...changed })).toBe(false);
  });
});

test('no application is sent events about API keys, not even of its own business', () => {
  const expired = { ...paid, type: 'api_key.expired' };
  expect(mayReceive(expired, facts)).toBe(false);
  expect(mayReceive({ ...expired, businessId: publisher }, facts)).toBe(false);
  expect(mayReceive({ ...expired, applicationId: '', businessId: publisher }, facts)).toBe(true);
});

describe('an endpoint is sent only events that its maker has rights to now', () => {
  const none: MemberKeyRules = { secretKeys: false, scopes: [] };
  const orders: MemberKeyRules = { secretKeys: false, scopes: ['orders:read'] };
  const secret: MemberKeyRules = { secretKeys: true, scopes: [] };
  const own = { applicationId: '', businessId: publisher };

  test.each<[string, Role | undefined, MemberKeyRules, readonly string[]]>([
    ['an owner', 'owner', none, ['order.paid', 'business.banned', 'api_key.expired', '']],
    ['a developer', 'developer', defaultRules, ['order.paid', 'business.banned', 'api_key.expired', '']],
    ['a developer within narrower rules', 'developer', orders, ['order.paid', 'api_key.expired', '']],
    ['a developer without scopes', 'developer', none, ['api_key.expired', '']],
    [
      'a developer who may have secret keys',
      'developer',
      secret,
      ['order.paid', 'business.banned', 'api_key.expired', ''],
    ],
    ['a viewer', 'viewer', defaultRules, ['api_key.expired', '']],
    ['a person who has left, as developers are', undefined, orders, ['order.paid', 'api_key.expired', '']],
  ])('%s', (_, role, rules, expected) => {
    const makers = new Map([[makerKey('per_1', publisher), { role, rules }]]);
    const types = ['order.paid', 'business.banned', 'api_key.expired', ''];
    const may = (recipient: object) =>
      types.filter((type) =>
        mayReceive({ ...paid, type, madeBy: 'per_1', ...recipient }, { ...facts, makers }),
      );
    expect(may(own)).toEqual(expected);
    expect(may({})).toEqual(expected.filter((type) => type === 'order.paid'));
    expect(may({ ...own, madeBy: '' })).toEqual(types);
  });
});
