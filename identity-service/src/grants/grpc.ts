import type { GrantMessage, grantService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/validation.ts';
import { z } from 'zod';
import { toPropagationMessage } from '../api-keys/grpc.ts';
import { actorOf, businessId } from '../platform/grpc-requests.ts';
import { type DisconnectGrantDeps, disconnectGrant } from './end-grant.ts';
import { applicationSuspension, type Grant } from './grant.ts';

/** Grant as a message of identity.v1. */
function toGrantMessage(grant: Grant): GrantMessage {
  return {
    id: grant.id,
    businessId: grant.businessId,
    applicationId: grant.applicationId,
    applicationName: grant.applicationName,
    applicationBusinessId: grant.applicationBusinessId,
    personId: grant.personId,
    scopes: [...grant.scopes],
    scopesUsed: [...grant.scopesUsed],
    createdAtUnixMs: grant.createdAt,
    approvedAtUnixMs: grant.approvedAt,
    lastUsedAtUnixMs: grant.lastUsedAt ?? 0,
    lastUsedIp: grant.lastUsedIp ?? '',
    suspendedAtUnixMs: grant.suspendedAt ?? 0,
    applicationSuspendedAtUnixMs: applicationSuspension(grant)?.suspendedAt ?? 0,
  };
}

const listRequest = z.object({ businessId });

const disconnectRequest = (requestId: string) =>
  z.object({
    actor: actorOf(requestId),
    businessId,
    grantId: z.string().regex(/^grt_[0-9a-f]{24}$/, 'must be the identifier of a Grant'),
  });

/** Handlers of identity.v1.GrantService. */
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
