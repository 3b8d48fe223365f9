import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createSealer } from '@platform/service-kit/secrets/sealer.ts';
import { openTicket, sealTicket } from './consent-ticket.ts';

const sealer = createSealer([createSecretKey(randomBytes(32))]);

const viewer = { sessionId: 'session', personId: 'per_1' };

const ticket = {
  id: 'page',
  request: {
    applicationId: 'apl_1',
    redirectUri: 'https://app.example/cb',
    state: 'x',
    codeChallenge: 'c',
    scopes: ['orders:read' as const],
  },
  presentation: { name: 'Shop', description: 'Sells', company: 'Shop Ltd, DE', publisher: 'Shop (@shop)' },
  businessIds: [7],
};

test('a consent ticket can be opened by the viewer of the page', () => {
  expect(openTicket(sealer, sealTicket(sealer, ticket, viewer), viewer)).toEqual(ticket);
});

test.each([
  ['another session', { ...viewer, sessionId: 'other' }],
  ['another person', { ...viewer, personId: 'per_2' }],
])('a consent ticket cannot be opened by %s', (_, other) => {
  expect(openTicket(sealer, sealTicket(sealer, ticket, viewer), other)).toBeUndefined();
});

test.each(['', 'x', 'AAAA', 'a'.repeat(200)])('%j is not a consent ticket', (field) => {
  expect(openTicket(sealer, field, viewer)).toBeUndefined();
});

test('a changed consent ticket is refused', () => {
  const sealed = Buffer.from(sealTicket(sealer, ticket, viewer), 'base64url');
  for (let index = 0; index < sealed.length; index += 7) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(openTicket(sealer, changed.toString('base64url'), viewer)).toBeUndefined();
  }
});
