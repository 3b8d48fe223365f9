import { expect, test } from '@jest/globals';
import { type Leftover, lastOnes } from './leftovers.ts';

const uri = (label: string, others = 0): Leftover => ({
  id: `redirect_uri:apl_1:${label}`,
  kind: 'redirect_uri',
  label,
  application: { id: 'apl_1', name: 'Shop' },
  madeAt: null,
  lastUsedAt: null,
  others,
});

const sentence = '“Shop” has no other redirect URI: it cannot be connected until you enter one.';

test('an app is named once when all of its entries of a kind end, and not while any such entry remains', () => {
  const both = [uri('https://a.example'), uri('https://b.example')];
  expect(lastOnes(both, both)).toEqual([sentence]);
  expect(lastOnes(both, both.slice(1))).toEqual([]);
  const withOthers = [uri('https://a.example', 1)];
  expect(lastOnes(withOthers, withOthers)).toEqual([]);
});

test('keys and endpoints of the business itself do not count as the last entries of an app', () => {
  const key: Leftover = { ...uri('Till'), kind: 'api_key', application: null };
  expect(lastOnes([key], [key])).toEqual([]);
});
