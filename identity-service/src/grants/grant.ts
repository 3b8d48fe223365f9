import type { Scope } from '../platform/scope.ts';

/** One business's live approval of one application, as it was read. Times are milliseconds since 1970. */
export interface Grant {
  readonly id: string;
  /** The business that approved. */
  readonly businessId: number;
  readonly applicationId: string;
  readonly applicationName: string;
  /** The business that owns the application. */
  readonly applicationBusinessId: number;
  /** Who approved last. */
  readonly personId: string;
  /** Approved so far; sorted. */
  readonly scopes: readonly Scope[];
  /** Really used by requests; sorted. */
  readonly scopesUsed: readonly Scope[];
  readonly createdAt: number;
  readonly approvedAt: number;
  readonly lastUsedAt: number | undefined;
  readonly lastUsedIp: string | undefined;
}

/** Why a Grant ended, and with it every code and token of it. The end of its application removes it altogether. */
export type EndReason = 'disconnected' | 'revoked' | 'code_reuse' | 'refresh_reuse';

/** Requests that any rolling hour admits for the access tokens of one Grant together. */
export const grantLimit = 10_000;
