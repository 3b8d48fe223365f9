import { expect, test } from '@jest/globals';
import { inBatches } from './batches.ts';

/** Batches that ran, and a function that ends the current one. */
function held(maxSize: number) {
  const batches: (readonly number[])[] = [];
  const ends: ((outputs: readonly string[] | Error) => void)[] = [];
  const run = inBatches<number, string>(maxSize, (inputs) => {
    batches.push(inputs);
    return new Promise((resolve, reject) => {
      ends.push((outputs) => (outputs instanceof Error ? reject(outputs) : resolve(outputs)));
    });
  });
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { batches, run, turn, end: (outputs: readonly string[] | Error) => ends.shift()?.(outputs) };
}

test('calls of one event-loop turn share a batch, and calls during that batch share the next one', async () => {
  const { batches, run, turn, end } = held(10);
  const first = [run(1), run(2)];
  await turn();
  const second = [run(3), run(4)];
  await turn();
  expect(batches).toEqual([[1, 2]]);
  end(['a', 'b']);
  expect(await Promise.all(first)).toEqual(['a', 'b']);
  await turn();
  end(['c', 'd']);
  expect(await Promise.all(second)).toEqual(['c', 'd']);
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
  ]);
});

test('calls beyond the maximum size of a batch go into the next one', async () => {
  const { batches, run, turn, end } = held(2);
  const calls = [run(1), run(2), run(3)];
  await turn();
  end(['a', 'b']);
  await turn();
  end(['c']);
  expect(await Promise.all(calls)).toEqual(['a', 'b', 'c']);
  expect(batches).toEqual([[1, 2], [3]]);
});

test('a batch that fails rejects its calls, and the next one runs', async () => {
  const { run, turn, end } = held(1);
  const calls = Promise.allSettled([run(1), run(2)]);
  await turn();
  end(new Error('down'));
  await turn();
  end(['b']);
  expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});
