import type {
  AttemptMessage,
  DeliveryMessage,
  DeliveryStatusMessage,
  DisabledReasonMessage,
  EndpointMessage,
} from '@platform/protos/webhook';

/** States of a delivery (webhook/v1/delivery.proto). */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'skipped', 'withdrawn'] as const;

/** Why an endpoint is disabled (webhook/v1/endpoint.proto). */
export const disabledReasons = ['owner', 'gone', 'failing'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

export type EndpointRecord = ReturnType<typeof endpointRecord>;

export type DeliveryRecord = ReturnType<typeof deliveryRecord>;

export type AttemptRecord = ReturnType<typeof attemptRecord>;

/** States in webhook.v1. */
export const statusMessages = {
  pending: 'DELIVERY_STATUS_PENDING',
  delivered: 'DELIVERY_STATUS_DELIVERED',
  failed: 'DELIVERY_STATUS_FAILED',
  skipped: 'DELIVERY_STATUS_SKIPPED',
  withdrawn: 'DELIVERY_STATUS_WITHDRAWN',
} as const satisfies Record<DeliveryStatus, DeliveryStatusMessage>;

const statuses = {
  // Never sent.
  DELIVERY_STATUS_UNSPECIFIED: 'pending',
  DELIVERY_STATUS_PENDING: 'pending',
  DELIVERY_STATUS_DELIVERED: 'delivered',
  DELIVERY_STATUS_FAILED: 'failed',
  DELIVERY_STATUS_SKIPPED: 'skipped',
  DELIVERY_STATUS_WITHDRAWN: 'withdrawn',
} as const satisfies Record<DeliveryStatusMessage, DeliveryStatus>;

const reasons = {
  DISABLED_REASON_UNSPECIFIED: null,
  DISABLED_REASON_OWNER: 'owner',
  DISABLED_REASON_GONE: 'gone',
  DISABLED_REASON_FAILING: 'failing',
} as const satisfies Record<DisabledReasonMessage, (typeof disabledReasons)[number] | null>;

/** An endpoint as responses carry it. */
export function endpointRecord(endpoint: EndpointMessage) {
  const { id, url, description, events, enabled, pending, madeBy } = endpoint;
  return {
    id,
    url,
    description,
    events,
    enabled,
    pending,
    /** The person; empty where none is known. */
    madeBy,
    disabledReason: reasons[endpoint.disabledReason],
    disabledAt: endpoint.disabledAtUnixMs || undefined,
    createdAt: endpoint.createdAtUnixMs,
    updatedAt: endpoint.updatedAtUnixMs,
    failingSince: endpoint.failingSinceUnixMs || undefined,
    lastSuccessAt: endpoint.lastSuccessAtUnixMs || undefined,
    pausedUntil: endpoint.pausedUntilUnixMs || undefined,
    oldSecretEndsAt: endpoint.oldSecretEndsAtUnixMs || undefined,
    nextAttemptAt: endpoint.nextAttemptAtUnixMs || undefined,
    recent: {
      attempts: endpoint.recentAttempts,
      successes: endpoint.recentSuccesses,
      p95Ms: endpoint.recentP95Ms,
      lastOutcome: endpoint.lastOutcome || null,
      lastStatus: endpoint.lastStatus || null,
    },
    recovery: endpoint.recovery && {
      since: endpoint.recovery.sinceUnixMs,
      createdAt: endpoint.recovery.createdAtUnixMs,
      total: endpoint.recovery.total,
      sent: endpoint.recovery.sent,
    },
  };
}

/** A delivery as responses carry it. */
export function deliveryRecord(delivery: DeliveryMessage) {
  const { id, endpointId, eventId, type, businessId, sequence, attempts } = delivery;
  return {
    id,
    endpointId,
    eventId,
    type,
    businessId,
    sequence,
    attempts,
    isTest: sequence === 0,
    status: statuses[delivery.status],
    nextAttemptAt: delivery.nextAttemptAtUnixMs || undefined,
    createdAt: delivery.createdAtUnixMs,
    finishedAt: delivery.finishedAtUnixMs || undefined,
  };
}

/** An attempt as responses carry it. */
export function attemptRecord(attempt: AttemptMessage) {
  const { number, durationMs, outcome, status, responseStart, errorCode } = attempt;
  return {
    number,
    durationMs,
    outcome,
    responseStart,
    startedAt: attempt.startedAtUnixMs,
    status: status || null,
    errorCode: errorCode || null,
  };
}
