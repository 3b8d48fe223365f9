import type { grantService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc-server.ts';
import { z } from 'zod';
import { type DisconnectGrantDeps, disconnectGrant } from '../grants/disconnect-grant.ts';
import { toPropagationMessage } from './api-key-message.ts';
import { toGrantMessage } from './grant-message.ts';
import { parseRequest } from './parse-request.ts';
import { actorOf, businessId } from './request-fields.ts';

const listRequest = z.object({ businessId });

const disconnectRequest = (requestId: string) =>
  z.object({
    actor: actorOf(requestId),
    businessId,
    grantId: z.string().regex(/^grt_[0-9a-f]{24}$/, 'must be the identifier of a Grant'),
  });

/** identity.v1.GrantService over the operations of grants/. */
export function grantHandlers(deps: DisconnectGrantDeps): UnaryHandlers<typeof grantService> {
  return {
    ListGrants: async (request) => {
      const grants = await deps.grants.list(parseRequest(listRequest, request).businessId);
      return { grants: grants.map(toGrantMessage) };
    },
    DisconnectGrant: async (request, { requestId }) => {
      const propagation = await disconnectGrant(deps, parseRequest(disconnectRequest(requestId), request));
      return { propagation: toPropagationMessage(propagation) };
    },
  };
}
