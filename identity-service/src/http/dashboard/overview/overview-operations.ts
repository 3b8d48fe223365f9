import type { ApiKey } from '../../../api-keys/api-key.ts';
import { type ReadOverviewDeps, readOverview } from '../../../overview/read-overview.ts';
import { toCaller } from '../caller.ts';
import { businessOperation, type Operation } from '../operation.ts';
import { getOverview } from './overview-specs.ts';

export function overviewOperations(deps: ReadOverviewDeps): Operation[] {
  return [
    businessOperation(getOverview, async ({ businessId, query: span, requestId }) => {
      const { hours, busiest, limits, endingKeys, start } = await readOverview(deps, {
        businessId,
        span,
        requestId,
      });
      return {
        hours: [...hours],
        busiest: busiest.map(({ caller, ...use }) => ({ ...use, caller: toCaller(caller) })),
        limits: limits.map(({ caller, ...use }) => ({ ...use, caller: toCaller(caller) })),
        endingKeys: endingKeys.flatMap(withExpiry),
        start: { ...start, verified: start.verified ?? null },
      };
    }),
  ];
}

function withExpiry({ id, name, status, expiresAt }: ApiKey) {
  return expiresAt === undefined ? [] : [{ id, name, status, expiresAt }];
}
