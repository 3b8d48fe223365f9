import type { CheckedPromise, canaryReportService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import { checkSchema } from './check.ts';
import type { PromiseStore } from './store.ts';

/** Handlers of identity.v1.CanaryReportService. */
export function canaryReportHandlers(
  promises: Pick<PromiseStore, 'addOnce'>,
): UnaryHandlers<typeof canaryReportService> {
  return {
    ReportCheck: async ({ checkId: id, promise, ...result }) => {
      await promises.addOnce(parseRequest(checkSchema, { ...result, id, promise: nameOf(promise) }));
      return {};
    },
  };
}

/** Name of a promise of the protos; of one that is unknown here no name that `checkSchema` accepts. */
const nameOf = (promise: CheckedPromise) => promise.replace('CHECKED_PROMISE_', '').toLowerCase();
