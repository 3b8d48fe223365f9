import { expect, test } from '@jest/globals';
import { readDetails } from './event-details.ts';

test('changes stand apart from facts, each under its label', () => {
  const { facts, changes } = readDetails({
    name: 'Tea',
    scopes: { from: ['orders:read'], to: ['business:read', 'orders:read'] },
    webhooksEnabled: { from: true, to: false },
  });
  expect(facts).toEqual([{ field: 'name', label: 'Name', value: 'Tea' }]);
  expect(changes).toEqual([
    { field: 'scopes', label: 'Scopes', from: 'orders:read', to: 'business:read, orders:read' },
    { field: 'webhooksEnabled', label: 'Webhooks', from: 'on', to: 'off' },
  ]);
});

test('a change to the same value is a fact', () => {
  const { facts, changes } = readDetails({ limit: { from: 10_000, to: 10_000 } });
  expect([facts, changes]).toEqual([[{ field: 'limit', label: 'Limit', value: '10,000' }], []]);
});

test('a moment stays one, a number becomes text', () => {
  const { facts } = readDetails({ expiresAt: 1_800_000_000_000, count: 2 });
  expect(facts.map(({ value }) => value)).toEqual([1_800_000_000_000, '2']);
});

test('facts stand in the order of their labels, however they are stored', () => {
  const { facts } = readDetails({ colour: 'red', lastFour: 'aB3x', scopes: [], name: 'Tea' });
  expect(facts.map(({ field }) => field)).toEqual(['name', 'scopes', 'lastFour', 'colour']);
});

test('what is empty is null, an empty list says so', () => {
  const { facts } = readDetails({ description: '', scopes: [], expiresAt: null });
  expect(facts.map(({ value }) => value)).toEqual([null, 'none', null]);
});

test('of a client secret only its end is shown', () => {
  const { facts } = readDetails({ added: { id: 'cs_1', lastFour: 'aB3x' }, ended: ['cs_0', 'cs_2'] });
  expect(facts).toEqual([
    { field: 'added', label: 'New client secret', value: 'ends with aB3x' },
    { field: 'ended', label: 'Ended client secrets', value: 'cs_0, cs_2' },
  ]);
});

test('what only finds the subject is not shown; what is unknown goes by its own name, and not on for ever', () => {
  const { facts } = readDetails({ applicationId: 'apl_1', id: 'x', colour: { deep: 'x'.repeat(5_000) } });
  expect(facts).toEqual([
    { field: 'colour', label: 'colour', value: expect.stringMatching(/^\{"deep":"x{1991}$/) },
  ]);
});
