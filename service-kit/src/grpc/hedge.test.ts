import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { AppError } from '../values/app-error.ts';
import { createHedge } from './hedge.ts';

beforeEach(() => void jest.useFakeTimers());

afterEach(() => void jest.useRealTimers());

const undelivered = new AppError('unavailable', 'grpc_unavailable', 'gone');

const refused = new AppError('unavailable', 'database_unavailable', 'not now');

/** A hedged call whose attempts end when the test says so. */
function setUp() {
  const hedge = createHedge(100);
  const call = () => {
    const attempts: (PromiseWithResolvers<string> & { cancelled: boolean })[] = [];
    const outcome = hedge<string>(() => {
      const attempt = { ...Promise.withResolvers<string>(), cancelled: false };
      attempts.push(attempt);
      const cancel = () => {
        attempt.cancelled = true;
      };
      return { result: attempt.promise, cancel };
    }).catch((error: unknown) => error);
    return { attempts, outcome };
  };
  return call;
}

test('a call with a timely response is made once', async () => {
  const { attempts, outcome } = setUp()();
  attempts[0]?.resolve('first');
  expect(await outcome).toBe('first');
  await jest.advanceTimersByTimeAsync(1_000);
  expect(attempts).toHaveLength(1);
});

test('a slow call is made again; the first response wins and cancels the other attempt', async () => {
  const { attempts, outcome } = setUp()();
  await jest.advanceTimersByTimeAsync(100);
  expect(attempts).toHaveLength(2);
  attempts[1]?.resolve('second');
  expect(await outcome).toBe('second');
  expect(attempts[0]?.cancelled).toBe(true);
});

test('an undelivered call is made again at once, and once only', async () => {
  const { attempts, outcome } = setUp()();
  attempts[0]?.reject(undelivered);
  await jest.advanceTimersByTimeAsync(0);
  expect(attempts).toHaveLength(2);
  attempts[1]?.reject(undelivered);
  expect(await outcome).toBe(undelivered);
});

test('the first attempt may fail while the second runs', async () => {
  const { attempts, outcome } = setUp()();
  await jest.advanceTimersByTimeAsync(100);
  attempts[0]?.reject(undelivered);
  await jest.advanceTimersByTimeAsync(0);
  attempts[1]?.resolve('second');
  expect(await outcome).toBe('second');
});

test('a call that the server refused is not made again', async () => {
  const { attempts, outcome } = setUp()();
  attempts[0]?.reject(refused);
  expect(await outcome).toBe(refused);
  expect(attempts).toHaveLength(1);
});

test('when all calls are slow, a tenth of them are made again', async () => {
  const call = setUp();
  let second = 0;
  for (let i = 0; i < 1_000; i++) {
    const { attempts, outcome } = call();
    await jest.advanceTimersByTimeAsync(100);
    second += attempts.length - 1;
    attempts[0]?.resolve('late');
    await outcome;
  }
  expect(second).toBeGreaterThan(100);
  expect(second).toBeLessThanOrEqual(50 + 100);
});
