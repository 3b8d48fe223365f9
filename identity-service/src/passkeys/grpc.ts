import type { personService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/validation.ts';
import { z } from 'zod';
import { actorOf, emailAddress } from '../platform/grpc-requests.ts';
import { checkOperatorReason } from '../platform/reason.ts';
import { type RemoveFactorsDeps, removeFactors } from './remove-factors.ts';

const removeRequest = (requestId: string) =>
  z.object({ actor: actorOf(requestId), email: emailAddress, reason: z.string() });

/** Handlers of identity.v1.PersonService. */
export function personHandlers(deps: RemoveFactorsDeps): UnaryHandlers<typeof personService> {
  return {
    RemoveFactors: async (request, { requestId }) => {
      const { reason, ...which } = parseRequest(removeRequest(requestId), request);
      return removeFactors(deps, { ...which, reason: checkOperatorReason(reason) });
    },
  };
}
