import { businessOperation, type Operation } from '../../web/dashboard-api/operation.ts';
import { type ChangeKeyLifetimeDeps, changeKeyLifetime } from './change-lifetime.ts';
import * as specs from './dashboard-schema.ts';
import type { KeyLifetime } from './lifetime.ts';

/** Operations on how long new API keys of a business may last. */
export function keyLifetimeOperations(deps: ChangeKeyLifetimeDeps): Operation[] {
  const { keyLifetimes } = deps;
  return [
    businessOperation(specs.getKeyLifetime, async ({ businessId }) =>
      toResponse(await keyLifetimes.find(businessId)),
    ),
    businessOperation(specs.setKeyLifetime, async ({ actor, businessId, body }) => {
      const lifetime = toLifetime(body);
      return toResponse(await changeKeyLifetime(deps, { actor, businessId, change: () => lifetime }));
    }),
    businessOperation(specs.countUnmetKeys, async ({ businessId, query }) => {
      const lifetime = toLifetime(query);
      return { keys: lifetime === undefined ? 0 : await keyLifetimes.countUnmet(businessId, lifetime) };
    }),
  ];
}

interface Given {
  readonly rule: 'off' | 'any_end' | 'at_most';
  readonly maxDays?: number | null | undefined;
}

function toLifetime({ rule, maxDays }: Given): KeyLifetime | undefined {
  return rule === 'off' ? undefined : { maxDays: maxDays ?? undefined };
}

function toResponse(lifetime: KeyLifetime | undefined) {
  if (lifetime === undefined) return { rule: 'off' as const, maxDays: null };
  const { maxDays } = lifetime;
  return maxDays === undefined
    ? { rule: 'any_end' as const, maxDays: null }
    : { rule: 'at_most' as const, maxDays };
}
