import { expect, test } from '@jest/globals';
import { createLogger } from '@platform/service-kit/telemetry/logger.ts';
import type { Replica } from './gateways.ts';
import { createResults } from './results.ts';
import { createRound } from './round.ts';

/** A round at one gateway that knows these keys, and what was asked for. */
function roundWith(known: Set<string>, refreshCheck?: Parameters<typeof createRound>[0]['refreshCheck']) {
  let taken = 0;
  const take = async () => {
    const keyString = `rk_${++taken}`;
    known.add(keyString);
    return { id: 'key_1', keyString, confirmed: true };
  };
  const replace = async () => {
    known.clear();
    return take();
  };
  const send: Replica['send'] = async ({ bearer = '' }) => {
    const at = performance.now();
    const status = known.has(bearer) ? 200 : 401;
    return { status, requestId: 'req', startedAt: at, endedAt: at, headers: {}, text: '' };
  };
  const results = createResults(10, Date.now);
  const ignore = () => undefined;
  return {
    results,
    round: createRound({
      gateways: { replicas: async () => [{ name: 'a', send }], close: ignore },
      keys: { takeLimited: take, takeRevoked: replace, takeWriter: take, close: ignore },
      results,
      metrics: { add: ignore, endRound: ignore, failed: ignore },
      reports: { add: ignore },
      logger: createLogger({ service: 'canary', level: 'silent' }),
      receiver: undefined,
      deliverWithinMs: 1_000,
      refreshCheck,
    }),
  };
}

test('a round fails when the key of the rolling hour has ended, and the next round creates a new key', async () => {
  const known = new Set<string>();
  const { round, results } = roundWith(known);
  const { signal } = new AbortController();
  await round(signal);
  known.delete('rk_1');
  await expect(round(signal)).rejects.toThrow('a neither admitted nor refused a key: 401');
  await round(signal);
  expect(results.report()).toMatchObject({ rounds: 2, failedRounds: 1, rollingHour: { admitted: 6 } });
});

test('requests that a round admitted count even if another part of the round cannot be measured', async () => {
  const measure = () => Promise.reject(new Error('no login'));
  const { round, results } = roundWith(new Set(), { measure });
  await expect(round(new AbortController().signal)).rejects.toThrow('no login');
  expect(results.report()).toMatchObject({ rounds: 0, failedRounds: 1, rollingHour: { admitted: 3 } });
});
