import { expect, test } from '@jest/globals';
import { notePropagation, type RevocationTime, timeRevocation } from './revocation-times.ts';

/** Times noted for an act that started 50 milliseconds ago. */
async function timesOf(work: () => Promise<unknown>): Promise<RevocationTime[]> {
  const noted: RevocationTime[] = [];
  await timeRevocation(performance.now() - 50, work, (time) => noted.push(time)).catch(() => undefined);
  return noted;
}

const publish = async (isConfirmed: boolean) => notePropagation(isConfirmed);

test('an act that ends access is timed from its start to the last confirmation', async () => {
  const [time, ...others] = await timesOf(async () => {
    await publish(true);
    await publish(true);
  });
  expect([(time?.ms ?? 0) >= 50, others]).toEqual([true, []]);
});

test('an act of which gateways confirmed only a part was not confirmed in time', async () => {
  expect(await timesOf(() => Promise.all([publish(false), publish(true)]))).toEqual([{ ms: undefined }]);
});

test('an act that published nothing is not timed, and one that failed after that is', async () => {
  expect(await timesOf(async () => undefined)).toEqual([]);
  const failing = async () => {
    await publish(true);
    throw new Error('later');
  };
  expect(await timesOf(failing)).toHaveLength(1);
});

test('what is published outside of an act of a person is not timed', async () => {
  expect(() => notePropagation(true)).not.toThrow();
  expect(await Promise.all([timesOf(async () => undefined), publish(true)])).toEqual([[], undefined]);
});
