import { ask, type Replica, unexpected } from './gateways.ts';
import type { CanaryKey, Keys } from './keys.ts';
import { measureRefusals } from './refusals.ts';
import type { Checked } from './results.ts';

interface RevocationRound extends Checked {
  /** The key of the next round. */
  readonly key: CanaryKey;
  /** Whether gateways confirmed the end. */
  readonly confirmed: boolean;
}

/**
 * Uses a key at every gateway, ends it, and asks each until it is refused.
 * @throws when a gateway does not admit the key before, or identity-service does not end it
 */
export async function measureRevocation(
  { takeRevoked }: Pick<Keys, 'takeRevoked'>,
  replicas: readonly Replica[],
  { keyString: bearer }: CanaryKey,
): Promise<RevocationRound> {
  await Promise.all(replicas.map((replica) => expectAdmitted(replica, bearer)));
  const key = await takeRevoked();
  const { confirmed } = key;
  const ended = { promise: 'revocation', credential: 'a key', bearer, endedAt: performance.now() } as const;
  return { key, confirmed, ...(await measureRefusals(replicas, { ...ended, confirmed })) };
}

async function expectAdmitted(replica: Replica, bearer: string): Promise<void> {
  const asked = await ask(replica, bearer);
  if (asked.status !== 200) throw unexpected(replica, 'did not admit a key', asked);
}
