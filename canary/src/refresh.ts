import { type Asked, ask, type Received, type Replica, unexpected } from './gateways.ts';
import { measureRefusals } from './refusals.ts';
import type { Checked, Violation } from './results.ts';
import { type Client, isInvalidGrant, readTokens, requestTokens, type Tokens } from './tokens.ts';

interface RefreshOptions {
  readonly client: Client;
  /** Approves the application, which connects it. */
  readonly approve: (replica: Replica) => Promise<Tokens>;
  /** Milliseconds between reuses. Each one ends the Grant, and the owner gets an email about it. */
  readonly reuseEveryMs: number;
}

/** Refreshes the tokens of a Grant in each round. Occasionally reuses a refresh token, and checks that this ends the Grant. */
export function createRefreshCheck({ client, approve, reuseEveryMs }: RefreshOptions) {
  let held: Tokens | undefined;
  let round = 0;
  let reusedAt = Number.NEGATIVE_INFINITY;

  const refresh = (replica: Replica, token: string) =>
    requestTokens(replica, client, { grant_type: 'refresh_token', refresh_token: token });

  /** Reuses a refresh token whose successor was used, and checks at all gateways that this has ended the connection. */
  async function reuse(
    replicas: readonly Replica[],
    replica: Replica,
    { used, tokens, confirmed }: { used: string; tokens: Tokens; confirmed: boolean },
  ): Promise<Checked> {
    const renewal = await refresh(replica, tokens.refreshToken);
    const last = readTokens(renewal);
    if (last === undefined) return { measured: [], violations: refusal(replica, renewal) };
    const reused = await refresh(replica, used);
    const endedAt = performance.now();
    const accepted = acceptance(replica, reused, 'issued tokens for a refresh token that was used before');
    const credential = 'an access token of a connection that a reuse has ended';
    const ended = { promise: 'refresh', credential, bearer: last.accessToken, endedAt, confirmed } as const;
    const { measured, violations } = await measureRefusals(replicas, ended);
    const renewed = await refresh(replica, last.refreshToken);
    const revived = acceptance(replica, renewed, 'renewed a connection that a reuse has ended');
    return { measured, violations: [...accepted, ...violations, ...revived] };
  }

  return {
    /**
     * @param confirmed whether changes reach every gateway at once
     * @throws when a gateway neither accepts nor refuses a token
     */
    measure: async (replicas: readonly Replica[], confirmed: boolean): Promise<Checked> => {
      const [first, second] = [round, round + 1].map((turn) => replicas[turn % replicas.length]);
      round++;
      if (first === undefined || second === undefined) return { measured: [], violations: [] };
      const { accessToken: _, refreshToken: used } = held ?? (await approve(first));
      // If the response is lost, it is uncertain which tokens are valid.
      held = undefined;
      const received = await refresh(first, used);
      const tokens = readTokens(received);
      if (tokens === undefined) return { measured: [], violations: refusal(first, received) };
      if (tokens.refreshToken === used) {
        const kept = violation(first, received, 'did not replace a refresh token');
        return { measured: [], violations: [kept] };
      }
      const admitted = await Promise.all(replicas.map((replica) => checkAdmitted(replica, tokens)));
      const violations = admitted.flat();
      if (performance.now() < reusedAt + reuseEveryMs) {
        held = tokens;
        return { measured: [], violations };
      }
      reusedAt = performance.now();
      const ended = await reuse(replicas, second, { used, tokens, confirmed });
      return { measured: ended.measured, violations: [...violations, ...ended.violations] };
    },
  };
}

/** Violation of a gateway that accepted a refresh token it must refuse. @throws when it did neither */
function acceptance(replica: Replica, received: Received, what: string): Violation[] {
  if (isInvalidGrant(received)) return [];
  if (received.status !== 200)
    throw unexpected(replica, 'neither accepted nor refused a refresh token', received);
  return [violation(replica, received, what)];
}

/** Violation of a gateway that refused a refresh token it must accept. @throws when it did not say why */
function refusal(replica: Replica, received: Received): Violation[] {
  if (!isInvalidGrant(received)) throw unexpected(replica, 'did not refresh tokens', received);
  return [violation(replica, received, 'refused a refresh token that was not used before')];
}

async function checkAdmitted(replica: Replica, { accessToken }: Tokens): Promise<Violation[]> {
  const asked = await ask(replica, accessToken);
  if (asked.status === 200) return [];
  if (asked.status !== 401) throw unexpected(replica, 'did not admit an access token', asked);
  return [violation(replica, asked, 'refused an access token that was just issued')];
}

const violation = ({ name }: Replica, { requestId }: Asked, what: string): Violation => ({
  promise: 'refresh',
  replica: name,
  requestId,
  what,
});
