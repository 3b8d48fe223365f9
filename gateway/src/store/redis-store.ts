import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { AdmissionStore, Claim, Counted, Stale } from '../admission/admission.ts';
import type { RedisLink } from './redis-link.ts';

const script = readFileSync(new URL('admit.lua', import.meta.url), 'utf8');
const scriptDigest = createHash('sha1').update(script).digest('hex');

const reply = z.tuple([z.number(), z.string(), z.number(), z.number(), z.number(), z.number()]);

/** Counts in Redis, on Redis's clock, in one round trip. */
export function createRedisStore(link: RedisLink): AdmissionStore {
  async function run(claim: Claim): Promise<unknown> {
    const { redis } = link;
    const keysAndArgs = scriptArguments(claim);
    try {
      return await redis.evalsha(scriptDigest, 2, ...keysAndArgs);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return await redis.eval(script, 2, ...keysAndArgs);
    }
  }
  return {
    admit: async (claim) => {
      if (!link.isUp()) return { kind: 'unavailable' };
      try {
        return verdictOf(reply.parse(await link.within(run(claim))));
      } catch (error) {
        link.reportFailure(error);
        return { kind: 'unavailable' };
      }
    },
  };
}

function scriptArguments({ answer, incarnation, wanted }: Claim): (string | number)[] {
  const { principal, generation, validUntil, limit } = answer;
  const { businessId, limitId } = principal;
  return [
    `gen:{${businessId}}`,
    `hour:{${businessId}}:${limitId}`,
    generation,
    incarnation ?? '',
    validUntil,
    limit,
    wanted,
    incarnation === undefined ? randomUUID() : '',
  ];
}

function verdictOf(values: z.output<typeof reply>): Counted | Stale {
  const [verdict, incarnation, admitted, used, resetMs, retryMs] = values;
  if (verdict === 0) return { kind: 'stale', incarnation: incarnation || undefined };
  return { kind: 'counted', incarnation, admitted, used, resetMs, retryMs };
}
