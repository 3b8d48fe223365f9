import { type Asked, ask, type Replica, throwFirst, unexpected } from './gateways.ts';
import type { CanaryKey } from './keys.ts';
import type { Violation } from './results.ts';

/** An hour, minus the drift between the clocks of this process and of Redis. */
const hourMs = 3_590_000;

/** Requests at every gateway in one round. */
const atOnce = 3;

interface Admitted {
  readonly replica: string;
  readonly asked: Asked;
}

/** Exceeds the limit of a key at all gateways at once, and counts the requests that each rolling hour admits. */
export function createHourCheck(limit: number) {
  let admitted: Admitted[] = [];
  let keyId = '';
  return {
    /**
     * Resolves to requests that were admitted beyond the limit.
     * @throws when there are none, but a gateway neither admitted nor refused a request, so that its count is unknown
     */
    measure: async (replicas: readonly Replica[], { id, keyString }: CanaryKey): Promise<Violation[]> => {
      // Each key has a separate rolling hour.
      if (id !== keyId) [keyId, admitted] = [id, []];
      const sent = replicas.flatMap((replica) => Array.from({ length: atOnce }, () => replica));
      const responses = await Promise.allSettled(sent.map((replica) => askOnce(replica, keyString)));
      const news = responses.flatMap((each) =>
        each.status === 'fulfilled' && each.value.asked.status === 200 ? [each.value] : [],
      );
      admitted = [...admitted, ...news].sort((a, b) => a.asked.endedAt - b.asked.endedAt);
      const violations = news
        .filter((one) => countBefore(admitted, one) > limit)
        .map((one) => excess(one, limit));
      const keepFrom = performance.now() - 2 * hourMs;
      admitted = admitted.filter(({ asked }) => asked.startedAt > keepFrom);
      if (violations.length === 0) throwFirst(responses);
      return violations;
    },
    /** Requests of the last hour that were admitted. */
    used: (): number => admitted.filter(({ asked }) => asked.startedAt > performance.now() - hourMs).length,
  };
}

async function askOnce(replica: Replica, bearer: string): Promise<Admitted> {
  const asked = await ask(replica, bearer);
  if (asked.status !== 200 && asked.status !== 429) {
    throw unexpected(replica, 'neither admitted nor refused a key', asked);
  }
  return { replica: replica.name, asked };
}

/** Number of requests that were certainly admitted within the hour that ends with the given one, itself included. */
function countBefore(admitted: readonly Admitted[], { asked: { endedAt } }: Admitted): number {
  return admitted.filter(({ asked }) => asked.startedAt > endedAt - hourMs && asked.endedAt <= endedAt)
    .length;
}

function excess({ replica, asked: { requestId } }: Admitted, limit: number): Violation {
  return {
    promise: 'rolling_hour',
    replica,
    requestId,
    what: `admitted more than ${limit} requests of one hour`,
  };
}
