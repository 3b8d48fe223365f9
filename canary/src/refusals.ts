import { setTimeout } from 'node:timers/promises';
import { type Asked, ask, type Replica } from './gateways.ts';
import type { Checked, TimedPromise } from './results.ts';

/** Milliseconds that a gateway may take when the change was not confirmed. */
const unconfirmedMs = 30_000;

/** Milliseconds for which a gateway is asked that goes on accepting a credential. */
const askForMs = 35_000;

/** Milliseconds between two requests of one gateway. */
const pauseMs = 20;

/** A credential that has ended. */
interface Ended {
  readonly promise: TimedPromise;
  /** Credential in the sentence of a violation. */
  readonly credential: string;
  readonly bearer: string;
  /** Milliseconds of performance.now() at which the response to its end came. */
  readonly endedAt: number;
  /** Whether gateways have confirmed that it has ended; else they do within 30 seconds. */
  readonly confirmed: boolean;
}

/**
 * Asks each gateway until it refuses a credential that has ended. A request that starts after the response to the end and is
 * admitted breaks the promise.
 */
export async function measureRefusals(replicas: readonly Replica[], ended: Ended): Promise<Checked> {
  const checks = await Promise.all(replicas.map((replica) => measureReplica(replica, ended)));
  return {
    measured: checks.flatMap(({ measured }) => measured),
    violations: checks.flatMap(({ violations }) => violations),
  };
}

async function measureReplica(replica: Replica, ended: Ended): Promise<Checked> {
  const { promise, bearer, endedAt } = ended;
  let admitted: Asked | undefined;
  let ms = askForMs;
  while (performance.now() < endedAt + askForMs) {
    const asked = await ask(replica, bearer).catch(() => undefined);
    if (asked?.status === 200) admitted = asked;
    if (asked?.status === 401) {
      ms = asked.startedAt - endedAt;
      break;
    }
    await setTimeout(pauseMs);
  }
  const measured = [{ promise, replica: replica.name, ms }];
  return { measured, violations: admitted === undefined ? [] : violationsOf(replica, ended, admitted) };
}

function violationsOf(
  { name: replica }: Replica,
  { promise, credential, confirmed, endedAt }: Ended,
  { startedAt, requestId }: Asked,
): Checked['violations'] {
  const ms = startedAt - endedAt;
  if (!confirmed && ms < unconfirmedMs) return [];
  const what = `admitted ${credential} ${Math.round(ms)} ms after the response to its end`;
  return [{ promise, replica, requestId, what }];
}
