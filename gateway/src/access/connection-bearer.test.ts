import { Socket } from 'node:net';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { connectionBearer } from './connection-bearer.ts';

const [one, other] = [createCheckedToken('sk'), createCheckedToken('rk')];

function counted() {
  const texts: string[] = [];
  const digest = (text: string) => `digest ${texts.push(text)}`;
  return { texts, digest };
}

test('a bearer is digested once per connection, address and scope', () => {
  const { texts, digest } = counted();
  const connection = new Socket();
  const keyFor = (ip: string, scope: string) =>
    connectionBearer(connection, `Bearer ${one}`)?.cacheKey(ip, scope, digest);
  expect([keyFor('1.1.1.1', 'a'), keyFor('1.1.1.1', 'a')]).toEqual(['digest 1', 'digest 1']);
  expect([keyFor('1.1.1.2', 'a'), keyFor('1.1.1.2', 'b'), keyFor('1.1.1.1', 'a')]).toEqual([
    'digest 2',
    'digest 3',
    'digest 4',
  ]);
  expect(texts).toEqual([
    `${one}\n1.1.1.1\na`,
    `${one}\n1.1.1.2\na`,
    `${one}\n1.1.1.2\nb`,
    `${one}\n1.1.1.1\na`,
  ]);
});

test('different bearers on the same connection are kept apart', () => {
  const connection = new Socket();
  const bearers = [one, other, one].map((bearer) => connectionBearer(connection, `Bearer ${bearer}`)?.bearer);
  expect(bearers).toEqual([one, other, one]);
});

test.each([undefined, '', 'Bearer', `Basic ${one}`, `Bearer ${one}x`, `Bearer cs_${one.slice(3)}`])(
  'the header %j has no bearer, even after a valid header on the same connection',
  (header) => {
    const connection = new Socket();
    connectionBearer(connection, `Bearer ${one}`);
    expect(connectionBearer(connection, header)).toBeUndefined();
  },
);

test('a bearer is not shared between connections', () => {
  const { texts, digest } = counted();
  for (const connection of [new Socket(), new Socket()])
    connectionBearer(connection, `Bearer ${one}`)?.cacheKey('1.1.1.1', '', digest);
  expect(texts).toHaveLength(2);
});
