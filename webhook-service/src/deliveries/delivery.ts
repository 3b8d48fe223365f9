import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Instant } from '../values.ts';

/**
 * pending: another attempt follows. delivered: 2xx. failed: the last attempt of the schedule failed. skipped: the
 * endpoint was disabled. withdrawn: the owner may no longer receive the event.
 */
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'skipped', 'withdrawn'] as const;

export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Statuses of the deliveries that a recovery sends again. */
export const recoverableStatuses = ['failed', 'skipped', 'withdrawn'] as const satisfies DeliveryStatus[];

/** One event due to one endpoint. */
export interface Delivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  /** The business whose event it is. */
  readonly businessId: number;
  /** 0 for a test event. */
  readonly sequence: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly nextAttemptAt: Instant | null;
  readonly createdAt: Instant;
  readonly finishedAt: Instant | null;
}

/** A delivery that a turn attempts. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly type: string;
  readonly businessId: number;
  readonly sequence: number;
  readonly body: string;
  /** Attempts so far, and those of the current schedule. */
  readonly attempts: number;
  readonly round: number;
  /** Of the request that caused the event; null where its trace was not recorded. */
  readonly traceparent: string | null;
  /** When its body lost a person; null for one that did not. */
  readonly erasedAt: Instant | null;
}

/** One request to a receiver. */
export interface Attempt {
  readonly number: number;
  readonly startedAt: Instant;
  readonly durationMs: number;
  readonly outcome: string;
  readonly status: number | null;
  readonly responseStart: string;
  readonly errorCode: string | null;
}

export function deliveryNotFound(): AppError {
  return new AppError('not_found', 'delivery_not_found', 'no such delivery');
}
