import { setTimeout } from 'node:timers/promises';
import type { Asked, Replica } from './gateways.ts';
import type { CanaryKey, Keys, Rotated } from './keys.ts';
import type { Measurement, Violation } from './results.ts';

/** Milliseconds that a gateway may take when the change was not confirmed. */
const unconfirmedMs = 30_000;

/** Milliseconds for which a gateway is asked that goes on accepting a key. */
const askForMs = 35_000;

/** Milliseconds between two requests of one gateway. */
const pauseMs = 20;

interface Refused {
  readonly replica: string;
  /** The last request that was admitted though it started after the key had ended. */
  readonly admitted: Asked | undefined;
  /** The first that was refused; undefined when none was. */
  readonly refused: Asked | undefined;
}

export interface RevocationRound {
  /** The key of the next round. */
  readonly key: CanaryKey;
  readonly measured: readonly Measurement[];
  readonly violations: readonly Violation[];
}

/**
 * Uses a key at every gateway, ends it, and asks each until it is refused. A request that starts after the response to the end
 * and is admitted breaks the promise.
 * @throws when a gateway does not admit the key before, or identity-service does not end it
 */
export async function measureRevocation(
  { rotate }: Pick<Keys, 'rotate'>,
  replicas: readonly Replica[],
  key: CanaryKey,
): Promise<RevocationRound> {
  await Promise.all(replicas.map((replica) => expectAdmitted(replica, key)));
  const next = await rotate(key.id);
  const endedAt = performance.now();
  const refusals = await Promise.all(replicas.map((replica) => askUntilRefused(replica, key, endedAt)));
  return {
    key: next,
    measured: refusals.map(({ replica, refused }) => ({
      replica,
      ms: (refused?.startedAt ?? endedAt + askForMs) - endedAt,
    })),
    violations: refusals.flatMap((one) => violationOf(one, next, endedAt) ?? []),
  };
}

async function expectAdmitted(replica: Replica, { keyString }: CanaryKey): Promise<void> {
  const { status, requestId } = await replica.ask(keyString);
  if (status !== 200) throw new Error(`${replica.name} did not admit a key: ${status}, request ${requestId}`);
}

async function askUntilRefused(
  replica: Replica,
  { keyString }: CanaryKey,
  endedAt: number,
): Promise<Refused> {
  let admitted: Asked | undefined;
  while (performance.now() < endedAt + askForMs) {
    const asked = await replica.ask(keyString).catch(() => undefined);
    if (asked?.status === 200) admitted = asked;
    if (asked?.status === 401) return { replica: replica.name, admitted, refused: asked };
    await setTimeout(pauseMs);
  }
  return { replica: replica.name, admitted, refused: undefined };
}

function violationOf(
  { replica, admitted }: Refused,
  { confirmed }: Pick<Rotated, 'confirmed'>,
  endedAt: number,
): Violation | undefined {
  if (admitted === undefined) return undefined;
  const ms = admitted.startedAt - endedAt;
  if (!confirmed && ms < unconfirmedMs) return undefined;
  const what = `admitted a key ${Math.round(ms)} ms after the response to its end`;
  return { promise: 'revocation', replica, requestId: admitted.requestId, what };
}
