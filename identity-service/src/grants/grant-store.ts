import type { AuditEvent } from '../audit/audit-event.ts';
import type { EndReason, Grant } from './grant.ts';

/** Where Grants are kept. */
export interface GrantStore {
  /** The live ones of a business, newest first. */
  list(businessId: number): Promise<Grant[]>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: GrantTransaction) => Promise<T>): Promise<T>;
}

/** A Grant that has ended. */
export interface EndedGrant {
  readonly id: string;
  readonly businessId: number;
  readonly applicationId: string;
  readonly applicationName: string;
}

/** What one transaction can do. */
export interface GrantTransaction {
  /** Ends a live Grant; undefined when there is none, or it has ended already. */
  end(id: string, reason: EndReason): Promise<EndedGrant | undefined>;
  /** Which business a Grant belongs to, ended or not. */
  businessOf(id: string): Promise<number | undefined>;
  /** Raises the business's credential generation. Resolves to the new one. */
  raiseGeneration(businessId: number): Promise<number>;
  audit(event: AuditEvent): Promise<void>;
}
