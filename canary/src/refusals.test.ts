import { expect, test } from '@jest/globals';
import type { Replica } from './gateways.ts';
import { measureRefusals } from './refusals.ts';

/** A gateway that responds with these, and then goes on with the last; undefined for no response. */
function replicaOf(name: string, ...statuses: readonly (number | undefined)[]): Replica {
  let sent = 0;
  return {
    name,
    send: async () => {
      const status = statuses[Math.min(sent++, statuses.length - 1)];
      if (status === undefined) throw new Error('no response');
      const startedAt = performance.now();
      return { status, requestId: `${name}-${sent}`, startedAt, endedAt: startedAt, headers: {}, text: '' };
    },
  };
}

/** A credential that is asked for until 35 seconds after its end. */
const ended = (msAgo = 34_800) =>
  ({
    promise: 'revocation',
    credential: 'a key',
    bearer: 'rk_1',
    endedAt: performance.now() - msAgo,
    confirmed: true,
  }) as const;

test('the time of the first refusal is measured at each gateway', async () => {
  const replicas = [replicaOf('a', 401), replicaOf('b', 503, undefined, 401)];
  const { measured, violations } = await measureRefusals(replicas, ended(0));
  expect(measured.map(({ replica }) => replica)).toEqual(['a', 'b']);
  expect(violations).toEqual([]);
});

test.each([[[503]], [[undefined]], [[503, undefined]]])(
  'a gateway that neither admits nor refuses cannot be measured: %j',
  async (statuses) => {
    const replicas = [replicaOf('a', ...statuses), replicaOf('b', 401)];
    await expect(measureRefusals(replicas, ended())).rejects.toThrow('a neither admitted nor refused a key');
  },
);

test('a gateway that keeps admitting requests is a violation, even if another gateway cannot be measured', async () => {
  const replicas = [replicaOf('a', 503), replicaOf('b', 200)];
  const { measured, violations } = await measureRefusals(replicas, ended());
  expect(violations).toMatchObject([{ promise: 'revocation', replica: 'b' }]);
  expect(measured.map(({ replica }) => replica)).toEqual(['b']);
});
