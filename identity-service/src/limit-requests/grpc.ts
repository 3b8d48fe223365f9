import type { LimitRequestMessage, limitRequestService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/validation.ts';
import { z } from 'zod';
import { actorOf } from '../platform/grpc-requests.ts';
import {
  checkRequestReason,
  type LimitKind,
  type LimitRequestStatus,
  type ReviewedRequest,
} from './limit-request.ts';
import { type DecideLimitDeps, declineLimitRequest, grantLimitRequest } from './operations.ts';

const kinds = {
  connected_users: 'LIMIT_KIND_CONNECTED_USERS',
  rate_limit: 'LIMIT_KIND_RATE_LIMIT',
} as const satisfies Record<LimitKind, string>;

const statuses = {
  pending: 'LIMIT_REQUEST_STATUS_PENDING',
  granted: 'LIMIT_REQUEST_STATUS_GRANTED',
  declined: 'LIMIT_REQUEST_STATUS_DECLINED',
} as const satisfies Record<LimitRequestStatus, string>;

/** Request as a message of identity.v1. */
function toMessage(request: ReviewedRequest): LimitRequestMessage {
  const { connectedUsers, requests, refused, busiestHour } = request;
  return {
    id: request.id,
    businessId: request.businessId,
    kind: kinds[request.kind],
    subjectId: request.subjectId,
    subjectName: request.subjectName ?? '',
    currentLimit: request.currentLimit ?? 0,
    requestedLimit: request.requestedLimit,
    reason: request.reason,
    requestedBy: request.email ?? '',
    createdAtUnixMs: request.createdAt,
    status: statuses[request.status],
    decidedAtUnixMs: request.decidedAt ?? 0,
    grantedLimit: request.grantedLimit ?? 0,
    decisionReason: request.decisionReason,
    use: { connectedUsers, requests, refused, busiestHour },
  };
}

const listRequest = z.object({ all: z.boolean() });

const decideRequest = (requestId: string) =>
  z.object({
    actor: actorOf(requestId),
    limitRequestId: z.string().regex(/^lrq_[0-9a-f]{24}$/, 'must be the identifier of a request'),
    reason: z.string(),
  });

const grantRequest = (requestId: string) => decideRequest(requestId).extend({ limit: z.int().min(0) });

/** Handlers of identity.v1.LimitRequestService. */
export function limitRequestHandlers(deps: DecideLimitDeps): UnaryHandlers<typeof limitRequestService> {
  return {
    ListLimitRequests: async (request) => {
      const { all } = parseRequest(listRequest, request);
      const found = await (all ? deps.requests.latest() : deps.requests.pending());
      return { limitRequests: found.map(toMessage) };
    },
    GrantLimitRequest: async (message, { requestId }) => {
      const { actor, limitRequestId: id, limit, reason } = parseRequest(grantRequest(requestId), message);
      const checked = reason.trim() === '' ? '' : checkRequestReason(reason);
      const input = { actor, id, limit: limit || undefined, reason: checked };
      const { request, notified } = await grantLimitRequest(deps, input);
      return { limitRequest: toMessage(request), notified };
    },
    DeclineLimitRequest: async (message, { requestId }) => {
      const { actor, limitRequestId: id, reason } = parseRequest(decideRequest(requestId), message);
      const { request, notified } = await declineLimitRequest(deps, { actor, id, reason });
      return { limitRequest: toMessage(request), notified };
    },
  };
}
