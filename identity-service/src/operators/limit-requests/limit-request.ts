import { AppError } from '@platform/service-kit/values/app-error.ts';
import { lineError } from '../../platform/text.ts';

/** Limits that an operator can raise (contract 8). */
export const limitKinds = ['connected_users', 'rate_limit'] as const;

export type LimitKind = (typeof limitKinds)[number];

export const limitRequestStatuses = ['pending', 'granted', 'declined'] as const;

export type LimitRequestStatus = (typeof limitRequestStatuses)[number];

/** An owner's request for a higher limit. Times are milliseconds since 1970. */
export interface LimitRequest {
  readonly id: string;
  readonly businessId: number;
  readonly kind: LimitKind;
  /** The application or the API key. */
  readonly subjectId: string;
  /** Undefined when it was deleted, as is its limit. */
  readonly subjectName: string | undefined;
  readonly currentLimit: number | undefined;
  readonly requestedLimit: number;
  readonly reason: string;
  readonly status: LimitRequestStatus;
  /** The person who asked. */
  readonly personId: string;
  /** Undefined when the account was deleted. */
  readonly email: string | undefined;
  readonly createdAt: number;
  readonly decidedAt: number | undefined;
  readonly grantedLimit: number | undefined;
  /** For the person who asked; may be empty. */
  readonly decisionReason: string;
}

/** A request with the use of its subject in the last 30 days. */
export interface ReviewedRequest extends LimitRequest {
  /** Businesses that are connected now. */
  readonly connectedUsers: number;
  readonly requests: number;
  /** Requests that were refused because of the limit. */
  readonly refused: number;
  /** Requests in the busiest hour. */
  readonly busiestHour: number;
}

/** The highest limits that operators can set. */
const maxLimits: Readonly<Record<LimitKind, number>> = { connected_users: 1_000_000, rate_limit: 10_000_000 };

/** Checks a limit to ask for. @throws AppError invalid_argument unless it is higher than the present one */
export function checkRequestedLimit(kind: LimitKind, limit: number, current: number): void {
  if (Number.isInteger(limit) && limit > current && limit <= maxLimits[kind]) return;
  const [least, most] = [current + 1, maxLimits[kind]].map((limit) => limit.toLocaleString('en'));
  const text = `the limit must be a whole number from ${least} to ${most}`;
  throw new AppError('invalid_argument', 'invalid_limit', text);
}

/** Checks a limit to grant. @param current undefined when its subject was deleted @throws AppError invalid_argument unless it is higher */
export function checkRaised(limit: number, current: number | undefined): void {
  if (current === undefined || limit > current) return;
  const text = `the limit must be greater than the current limit of ${current}`;
  throw new AppError('invalid_argument', 'invalid_limit', text);
}

const maxReason = 500;

/** The reason without blanks around it. @throws AppError invalid_argument unless it is one line of 1 to 500 characters */
export function checkRequestReason(submitted: string): string {
  const reason = submitted.trim();
  const error = lineError(reason, 'a reason', maxReason);
  if (error !== undefined) throw new AppError('invalid_argument', 'invalid_reason', error);
  return reason;
}

/** @throws AppError failed_precondition for a request that was decided before */
export function checkPending({ status }: LimitRequest): void {
  if (status === 'pending') return;
  throw new AppError('failed_precondition', 'limit_request_decided', `the request was already ${status}`);
}

export function limitRequestNotFound(): AppError {
  return new AppError('not_found', 'limit_request_not_found', 'no such request');
}
