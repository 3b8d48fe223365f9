import { describe, expect, test } from '@jest/globals';
import { createStandAside } from './stand-aside.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How many of so many that stood aside have gone on after each turn of the event loop. */
async function goneOnByTurn(count: number): Promise<number[]> {
  const standAside = createStandAside();
  const order: number[] = [];
  for (let i = 0; i < count; i++) void standAside().then(() => order.push(i));
  const gone: number[] = [order.length];
  while (order.length < count) {
    await turn();
    gone.push(order.length);
  }
  expect(order).toEqual(Array.from({ length: count }, (_, index) => index));
  return gone;
}

describe('requests that stand aside', () => {
  test('none goes on at once, and a few in each turn, in their order', async () => {
    expect(await goneOnByTurn(5)).toEqual([0, 2, 4, 5]);
  });

  test('those that come later do not go first', async () => {
    const standAside = createStandAside();
    const order: string[] = [];
    for (const name of ['a', 'b', 'c']) void standAside().then(() => order.push(name));
    await turn();
    await Promise.all([standAside().then(() => order.push('d')), standAside()]);
    expect(order).toEqual(['a', 'b', 'c', 'd']);
  });
});
