import { fieldsOf } from '@platform/protos/field-mask';
import { type DisabledReasonMessage, type EndpointMessage, endpointService } from '@platform/protos/webhook';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import { z } from 'zod';
import { type DisabledReason, type Endpoint, endpointFields, maker } from './endpoint.ts';
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  type EndpointDeps,
  enableEndpoint,
  getEndpoint,
  listPublicKeys,
  oldSecretEndsAt,
  revealSecret,
  rotateSecret,
  updateEndpoint,
} from './operations.ts';
import type { Activity } from './store.ts';

/** Owner in requests. */
export const owner = z.object(
  {
    businessId: z.int().min(1, 'must be the identifier of a business'),
    applicationId: z
      .string()
      .regex(/^(apl_[0-9a-f]{24})?$/, 'must be the identifier of an application, or empty'),
  },
  'is missing',
);

export const endpointId = z.string().regex(/^whe_[0-9A-Za-z]{20}$/, 'must be the identifier of an endpoint');

const ownerRequest = z.object({ owner });

const reference = z.object({ owner, endpointId });

const keysRequest = z.object({ endpointId });

const createRequest = z.object({ owner, ...endpointFields, madeBy: maker });

const businessId = owner.shape.businessId;

const madeBy = z.string().min(1, 'must not be empty').max(100);

const madeRequest = z.object({ businessId, madeBy });

const endMadeRequest = madeRequest.extend({ keptIds: z.array(endpointId).max(500), keptBy: madeBy });

const updateRequest = reference
  .extend({
    ...endpointFields,
    // Checked with the rules of URLs, where the mask names it.
    url: z.string().max(2_000),
    updateMask: z
      .object({ paths: z.array(z.string()) })
      .nullable()
      .transform(fieldsOf)
      .pipe(
        z
          .array(z.enum(['url', 'description', 'events', 'madeBy'], 'no such field'))
          .min(1, 'must name a field'),
      ),
    madeBy: maker,
  })
  .transform(({ updateMask: mask, owner, endpointId, url, description, events, madeBy }) => ({
    owner,
    endpointId,
    changes: {
      ...(mask.includes('url') && { url }),
      ...(mask.includes('description') && { description }),
      ...(mask.includes('events') && { events }),
      ...(mask.includes('madeBy') && { madeBy }),
    },
  }));

const rotateRequest = reference
  .extend({ endOld: z.boolean() })
  .transform(({ endOld, ...rest }) => ({ ...rest, endsOld: endOld }));

const reasons = {
  owner: 'DISABLED_REASON_OWNER',
  gone: 'DISABLED_REASON_GONE',
  failing: 'DISABLED_REASON_FAILING',
} as const satisfies Record<DisabledReason, DisabledReasonMessage>;

/** webhook.v1.EndpointService over the operations of endpoints/. */
export function createEndpointService(deps: EndpointDeps): GrpcService {
  const messageOf = (endpoint: Endpoint, activity: Activity = idle) =>
    endpointMessage(endpoint, activity, oldSecretEndsAt(deps, endpoint)?.getTime() ?? 0);
  const messages = async (endpoints: readonly Endpoint[]) => {
    const activities = await deps.endpoints.activity(endpoints.map(({ id }) => id));
    return endpoints.map((endpoint) => messageOf(endpoint, activities.get(endpoint.id)));
  };
  /** Activity of a changed endpoint. Falls back to none, because an error would hide the change and lose a new secret. */
  const changed = async (endpoint: Endpoint) => {
    try {
      return (await messages([endpoint]))[0] ?? null;
    } catch (err) {
      deps.logger.warn({ err, endpointId: endpoint.id }, 'activity not read');
      return messageOf(endpoint);
    }
  };
  return grpcService(endpointService, {
    CreateEndpoint: async (request) => {
      const { endpoint, secret } = await createEndpoint(deps, parseRequest(createRequest, request));
      return { endpoint: await changed(endpoint), secret };
    },
    ListEndpoints: async (request) => {
      const endpoints = await deps.endpoints.list(parseRequest(ownerRequest, request).owner);
      return { endpoints: await messages(endpoints) };
    },
    GetEndpoint: async (request) => ({
      endpoint: (await messages([await getEndpoint(deps, parseRequest(reference, request))]))[0] ?? null,
    }),
    UpdateEndpoint: async (request) => ({
      endpoint: await changed(await updateEndpoint(deps, parseRequest(updateRequest, request))),
    }),
    DeleteEndpoint: async (request) => {
      await deleteEndpoint(deps, parseRequest(reference, request));
      return {};
    },
    RotateSecret: async (request) => {
      const { endpoint, secret } = await rotateSecret(deps, parseRequest(rotateRequest, request));
      return { endpoint: await changed(endpoint), secret };
    },
    RevealSecret: async (request) => revealSecret(deps, parseRequest(reference, request)),
    ListPublicKeys: async (request) => ({
      publicKeys: await listPublicKeys(deps, parseRequest(keysRequest, request).endpointId),
    }),
    EnableEndpoint: async (request) => {
      const { endpoint, recoverable } = await enableEndpoint(deps, parseRequest(reference, request));
      return { endpoint: await changed(endpoint), recoverable };
    },
    DisableEndpoint: async (request) => ({
      endpoint: await changed(await disableEndpoint(deps, parseRequest(reference, request))),
    }),
    ListMadeEndpoints: async (request) => {
      const { businessId, madeBy } = parseRequest(madeRequest, request);
      const endpoints = await deps.endpoints.listMade(businessId, madeBy);
      return { endpoints: endpoints.map((endpoint) => messageOf(endpoint)) };
    },
    EndMadeEndpoints: async (request) => {
      const endpoints = await deps.endpoints.endMade(parseRequest(endMadeRequest, request));
      return { endpoints: endpoints.map((endpoint) => messageOf(endpoint)) };
    },
  });
}

/** Of an endpoint that was just deleted, or whose activity cannot be read. */
const idle: Activity = {
  pending: 0,
  nextDueAt: null,
  recentAttempts: 0,
  recentSuccesses: 0,
  recentP95Ms: 0,
  lastOutcome: null,
  lastStatus: null,
  recoverySince: null,
  recoveredAt: null,
  recoveryTotal: null,
  recoverySent: null,
};

function endpointMessage(
  endpoint: Endpoint,
  activity: Activity,
  oldSecretEndsAtUnixMs: number,
): EndpointMessage {
  const { id, owner, url, description, events, enabled, disabledReason } = endpoint;
  return {
    id,
    owner,
    url,
    description,
    events: [...events],
    enabled,
    disabledReason: disabledReason === null ? 'DISABLED_REASON_UNSPECIFIED' : reasons[disabledReason],
    disabledAtUnixMs: endpoint.disabledAt?.getTime() ?? 0,
    createdAtUnixMs: endpoint.createdAt.getTime(),
    updatedAtUnixMs: endpoint.updatedAt.getTime(),
    failingSinceUnixMs: endpoint.failingSince?.getTime() ?? 0,
    lastSuccessAtUnixMs: endpoint.lastSuccessAt?.getTime() ?? 0,
    pausedUntilUnixMs: endpoint.pausedUntil?.getTime() ?? 0,
    oldSecretEndsAtUnixMs,
    madeBy: endpoint.madeBy ?? '',
    ...activityMessage(endpoint, activity),
  };
}

function activityMessage({ enabled, pausedUntil }: Endpoint, activity: Activity) {
  const { pending, nextDueAt, recentAttempts, recentSuccesses, recentP95Ms } = activity;
  const { recoverySince, recoveredAt, recoveryTotal, recoverySent } = activity;
  return {
    pending,
    recentAttempts,
    recentSuccesses,
    recentP95Ms,
    lastOutcome: activity.lastOutcome ?? '',
    lastStatus: activity.lastStatus ?? 0,
    nextAttemptAtUnixMs:
      enabled && nextDueAt !== null ? Math.max(nextDueAt.getTime(), pausedUntil?.getTime() ?? 0) : 0,
    recovery:
      recoveredAt === null
        ? null
        : {
            sinceUnixMs: recoverySince?.getTime() ?? 0,
            createdAtUnixMs: recoveredAt.getTime(),
            total: recoveryTotal ?? 0,
            sent: Math.max(0, recoverySent ?? 0),
          },
  };
}
