import { setTimeout } from 'node:timers/promises';
import { type Asked, ask, type Replica, throwFirst, unexpected } from './gateways.ts';
import type { Checked, TimedPromise } from './results.ts';

/** Milliseconds that a gateway may take when the change was not confirmed. */
const unconfirmedMs = 30_000;

/** Milliseconds after which a gateway that still accepts the credential is given up. */
const askForMs = 35_000;

/** Milliseconds between two requests of one gateway. */
const pauseMs = 20;

/** A credential that has ended. */
interface Ended {
  readonly promise: TimedPromise;
  /** Name of the credential in texts of violations. */
  readonly credential: string;
  readonly bearer: string;
  /** Time of the response that ended it, in milliseconds of performance.now(). */
  readonly endedAt: number;
  /** Whether gateways have confirmed that it has ended. Otherwise it ends within 30 seconds. */
  readonly confirmed: boolean;
}

/**
 * Sends requests to each gateway until it refuses a credential that has ended. An admitted request that starts after the
 * response to the end breaks the promise.
 * @throws when no gateway breaks the promise, but one neither admits nor refuses the credential, so that nothing is known of it
 */
export async function measureRefusals(replicas: readonly Replica[], ended: Ended): Promise<Checked> {
  const settled = await Promise.allSettled(replicas.map((replica) => measureReplica(replica, ended)));
  const checks = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const violations = checks.flatMap((checked) => checked.violations);
  if (violations.length === 0) throwFirst(settled);
  return { measured: checks.flatMap(({ measured }) => measured), violations };
}

async function measureReplica(replica: Replica, ended: Ended): Promise<Checked> {
  const { promise, bearer, endedAt } = ended;
  let admitted: Asked | undefined;
  let last: Asked | undefined;
  while (last?.status !== 401 && performance.now() < endedAt + askForMs) {
    last = await ask(replica, bearer).catch(() => undefined);
    if (last?.status === 200) admitted = last;
    if (last?.status !== 401) await setTimeout(pauseMs);
  }
  const violations = admitted === undefined ? [] : violationsOf(replica, ended, admitted);
  if (last?.status !== 401 && violations.length === 0) throw undecided(replica, ended, last);
  const ms = last?.status === 401 ? last.startedAt - endedAt : askForMs;
  return { measured: [{ promise, replica: replica.name, ms }], violations };
}

function undecided(replica: Replica, { credential }: Ended, last: Asked | undefined): Error {
  const did = `neither admitted nor refused ${credential}`;
  return last ? unexpected(replica, did, last) : new Error(`${replica.name} ${did}: no response`);
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
