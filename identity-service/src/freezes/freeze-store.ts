import type { AuditEvent } from '../audit/audit-event.ts';
import type { Freeze } from './freeze.ts';

/** Where freezes are kept. */
export interface FreezeStore {
  /** The freeze of a business; undefined when it has none. */
  find(businessId: number): Promise<Freeze | undefined>;
  /** Those of these businesses that are frozen. */
  frozenAmong(businessIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: FreezeTransaction) => Promise<T>): Promise<T>;
}

/** What one transaction can do. */
export interface FreezeTransaction {
  /** Freezes a business. False when it is frozen already: then the first freeze stays as it is. */
  freeze(businessId: number, personId: string, reason: string): Promise<boolean>;
  /** Lifts the freeze and resolves to it; undefined when there is none. */
  lift(businessId: number): Promise<Freeze | undefined>;
  /** Raises the business's credential generation. Resolves to the new one. */
  raiseGeneration(businessId: number): Promise<number>;
  audit(event: AuditEvent): Promise<void>;
}
