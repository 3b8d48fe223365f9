import { type Asked, ask, type Replica, throwFirst, unexpected } from './gateways.ts';
import type { CanaryKey } from './keys.ts';
import type { Violation } from './results.ts';

/** An hour, less what the clocks of this process and of Redis may differ by within it. */
const hourMs = 3_590_000;

/** Requests at every gateway in one round. */
const atOnce = 3;

interface Admitted {
  readonly replica: string;
  readonly asked: Asked;
}

/** Asks for more than a key may have, at all gateways at once, and counts what each rolling hour has admitted. */
export function createHourCheck(limit: number) {
  let admitted: Admitted[] = [];
  let keyId = '';
  return {
    /**
     * Resolves to what was admitted beyond the limit.
     * @throws when none was, and a gateway neither admitted nor refused a request: nothing is known of its hour
     */
    measure: async (replicas: readonly Replica[], { id, keyString }: CanaryKey): Promise<Violation[]> => {
      // Each key has an hour of its own.
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

/** Requests that were admitted for certain within the hour that ends with one of them, itself included. */
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
