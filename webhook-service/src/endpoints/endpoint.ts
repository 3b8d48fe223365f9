import { AppError } from '@platform/service-kit/values/app-error.ts';
import { textField } from '@platform/service-kit/values/text.ts';
import { z } from 'zod';
import type { Instant } from '../values.ts';

/** Owner of an endpoint. */
export interface Owner {
  /** The business: the publisher of the application, or the business itself. */
  readonly businessId: number;
  /** Empty for an endpoint of the business itself. */
  readonly applicationId: string;
}

/** Owner of deleted endpoints whose rows still exist. No request can name it. */
export const noOwner: Owner = { businessId: 0, applicationId: '' };

/** Why an endpoint is disabled: by its owner, by a 410 of the receiver, or after five days of failures. */
export type DisabledReason = 'owner' | 'gone' | 'failing';

/** A receiver and its health. */
export interface Endpoint {
  readonly id: string;
  readonly owner: Owner;
  readonly url: string;
  readonly description: string;
  /** Sorted; empty for all that the application has chosen. */
  readonly events: readonly string[];
  readonly sealedSecrets: Uint8Array<ArrayBuffer>;
  readonly enabled: boolean;
  readonly disabledReason: DisabledReason | null;
  readonly disabledAt: Instant | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** First failure since the last success, the last change of the URL, or a quiet time. */
  readonly failingSince: Instant | null;
  readonly lastSuccessAt: Instant | null;
  /** Attempts in a row at which the receiver was down. */
  readonly consecutiveOutages: number;
  /** Time before which the circuit breaker lets no attempt start; null while it is closed. */
  readonly pausedUntil: Instant | null;
  /** The person who last decided its URL and events; null for an operator, or if it was not recorded. */
  readonly madeBy: string | null;
}

/** Days without a success after which an endpoint is disabled. */
export const failingDays = 5;

/** Hours without a failure after which the next one begins a new period: longer than the longest delay between attempts. */
export const quietHours = 30;

/** Hours without a success after which the owners get the first warning. */
export const firstWarningHours = 1;

/** Steps of a period of failures in order: after an hour, after half of `failingDays`, and at their end. */
export const warningSteps = ['failing', 'half_time', 'disabled'] as const;

/** A step of a period of failures that the owners are warned of. */
export interface Warning {
  readonly endpointId: string;
  readonly owner: Owner;
  readonly url: string;
  /** gone: disabled because of a 410. */
  readonly step: (typeof warningSteps)[number] | 'gone';
  /** Begin of the period. */
  readonly since: Instant;
  /** When the endpoint was or will be disabled. */
  readonly disabledAt: Instant;
}

/** Deliveries of an endpoint are counted up to this number. */
export const maxCounted = 100_000;

/** Endpoints of one owner. */
export const maxEndpoints = 5;

const maxDescription = 200;

/** Shape of an event type. Types are not checked against a list, because every new type would have to be added to it. */
export const eventType = z
  .string()
  .regex(/^[a-z0-9_]{1,40}\.[a-z0-9_]{1,40}$/, 'must be a type of events, as order.paid');

/** Fields that the owner decides. The URL has rules of its own. */
export const endpointFields = {
  url: z.string().min(1, 'must not be empty').max(2_000, 'must have at most 2000 characters'),
  description: z.union([z.literal(''), textField(maxDescription)]),
  events: z
    .array(eventType)
    .max(100)
    .transform((events) => [...new Set(events)].sort()),
};

/** Settings of an endpoint. */
export interface EndpointSettings {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
}

/** A person as requests name one; null for none. */
export const maker = z
  .string()
  .max(100)
  .transform((id) => id || null);

/** @throws AppError when the owner has as many endpoints as it may */
export function checkCount(count: number): void {
  if (count < maxEndpoints) return;
  throw new AppError(
    'failed_precondition',
    'endpoint_limit_reached',
    `an application or business has at most ${maxEndpoints} endpoints`,
  );
}

export function endpointNotFound(): AppError {
  return new AppError('not_found', 'endpoint_not_found', 'no such endpoint');
}
