import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Suspension } from '../suspensions/suspension.ts';

/** One business's live approval of one application. Times are milliseconds since 1970. */
export interface Grant {
  readonly id: string;
  /** The business that approved the application. */
  readonly businessId: number;
  readonly applicationId: string;
  readonly applicationName: string;
  /** The business that owns the application. */
  readonly applicationBusinessId: number;
  /** The person who approved last. */
  readonly personId: string;
  /** All approved scopes; sorted. */
  readonly scopes: readonly string[];
  /** Scopes that requests have used; sorted. */
  readonly scopesUsed: readonly string[];
  readonly createdAt: number;
  readonly approvedAt: number;
  readonly lastUsedAt: number | undefined;
  readonly lastUsedIp: string | undefined;
  /** When the business suspended it; undefined when it has not. */
  readonly suspendedAt: number | undefined;
  /** Reasons why its application is suspended, oldest first. */
  readonly suspensions: readonly Suspension[];
}

/** When the application of a Grant was suspended; undefined when it is not. A ban does not suspend the publisher's own Grant. */
export function applicationSuspension({
  businessId,
  applicationBusinessId,
  suspensions,
}: Pick<Grant, 'businessId' | 'applicationBusinessId' | 'suspensions'>): Suspension | undefined {
  return suspensions.find(({ cause }) => cause !== 'ban' || businessId !== applicationBusinessId);
}

/** Reason of the end of a Grant, and of all its codes and tokens. Deleting the application ends it for `application_deleted`. */
export type EndReason = 'disconnected' | 'revoked' | 'code_reuse' | 'refresh_reuse';

/** Requests per rolling hour of all access tokens of one Grant together. */
export const grantLimit = 10_000;

/** The same error for a Grant that has ended and for one of another business. */
export function grantNotFound(): AppError {
  return new AppError('not_found', 'grant_not_found', 'no such connected application');
}
