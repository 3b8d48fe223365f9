import { withFields } from '../../web/dashboard-api/input.ts';
import { businessOperation, type Operation } from '../../web/dashboard-api/operation.ts';
import * as specs from './dashboard-schema.ts';
import type { LimitRequest } from './limit-request.ts';
import { type RequestLimitDeps, requestLimit } from './operations.ts';

/** Operations on requests for higher limits. */
export function limitRequestOperations(deps: RequestLimitDeps): Operation[] {
  return [
    businessOperation(specs.listLimitRequests, async ({ businessId }) => {
      const requests = await deps.limitRequests.ofBusiness(businessId);
      return { limitRequests: requests.map(toResponse) };
    }),
    businessOperation(specs.requestLimit, async ({ actor, businessId, body }) => {
      const fields = { invalid_limit: 'limit', invalid_reason: 'reason' };
      const request = await withFields(fields, () => requestLimit(deps, { actor, businessId, ...body }));
      return { limitRequest: toResponse(request) };
    }),
  ];
}

function toResponse({ grantedLimit, decisionReason, ...request }: LimitRequest) {
  return { ...request, grantedLimit: grantedLimit ?? null, decisionReason: decisionReason || null };
}
