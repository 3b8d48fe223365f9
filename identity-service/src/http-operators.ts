import type { Router } from 'express';
import type { Accounts } from './http-accounts.ts';
import { operatorActionOperations } from './operators/action-operations.ts';
import { operatorGate, operatorReadOperations } from './operators/dashboard.ts';
import { dashboardApi } from './web/dashboard-api/api.ts';
import type { EventStreams } from './web/dashboard-api/event-streams.ts';
import { operatorsAudience } from './web/dashboard-api/openapi.ts';

/** The API behind the operators' console: the operations of `npm run admin`, for people with the role. */
export function createOperatorsApi(deps: Accounts & { readonly streams: EventStreams }): Router {
  return dashboardApi({
    ...deps,
    audience: operatorsAudience,
    gate: operatorGate(deps.operators),
    isLive: deps.sessionStore.isLive,
    operations: [...operatorReadOperations(deps), ...operatorActionOperations(deps)],
  });
}
