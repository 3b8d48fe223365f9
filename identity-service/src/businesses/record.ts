import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { CheckImpartial } from '../audit/operator-log/impartial-store.ts';
import { type AuditReader, isRecorded } from '../audit/store.ts';
import type {
  ChangedRecord,
  DecideVerification,
  FindBusinessRecord,
  RecordChanges,
  UpdateRecord,
} from '../clients/business.ts';
import { validateUsername } from '../people/person.ts';
import type { Actor, AuditEvent, Json } from '../platform/actor.ts';
import { type FieldErrors, fieldErrors, publicNameError } from '../platform/text.ts';

/** Trims name and username and validates them; absent ones stay. Errors are keyed by field. */
export function validateRecord(submitted: Pick<RecordChanges, 'accountHolder' | 'username'>): {
  changes: RecordChanges;
  errors: FieldErrors;
} {
  const { accountHolder, username } = submitted;
  const changes: RecordChanges = {
    ...(accountHolder !== undefined && { accountHolder: accountHolder.trim() }),
    ...(username !== undefined && { username: username.trim().toLowerCase() }),
  };
  const errors = fieldErrors({
    ...(changes.accountHolder !== undefined && {
      accountHolder: publicNameError(changes.accountHolder, 'a display name', 200),
    }),
    ...(changes.username !== undefined && { username: validateUsername(changes.username) }),
  });
  return { changes, errors };
}

export interface ChangeRecordDeps {
  readonly updateRecord: UpdateRecord;
  readonly audit: (event: AuditEvent) => Promise<void>;
}

interface ChangeRecordInput {
  /** An owner of the business. */
  readonly actor: Actor;
  readonly businessId: number;
  readonly changes: RecordChanges;
}

interface DecideVerificationInput {
  /** An operator. */
  readonly actor: Actor;
  readonly businessId: number;
  /** Otherwise it is rejected. */
  readonly approved: boolean;
  /** For the owners; required where it is rejected. */
  readonly reason?: string | undefined;
  /** Milliseconds since 1970 of the submission that the operator read; any where absent. */
  readonly submittedAt?: number | undefined;
}

export interface DecideVerificationDeps {
  readonly decideVerification: DecideVerification;
  readonly findBusiness: FindBusinessRecord;
  readonly auditLog: Pick<AuditReader, 'page'>;
  readonly audit: (event: AuditEvent) => Promise<void>;
  readonly checkImpartial: CheckImpartial;
}

/**
 * Decides the verification of a business; the audit event notifies its owners. business-service has a separate database: if
 * the event of a decision was lost between the two, repeating the decision records it. @throws AppError
 */
export async function decideVerification(
  deps: DecideVerificationDeps,
  input: DecideVerificationInput,
): Promise<void> {
  const { actor, businessId, approved, reason, submittedAt } = input;
  const action = approved ? 'business.verified' : 'business.verification_rejected';
  await deps.checkImpartial({ actor, businessId, action });
  try {
    const decision = { businessId, reason: approved ? undefined : (reason ?? ''), submittedAt };
    await deps.decideVerification(decision, actor.requestId);
  } catch (error) {
    if (toAppError(error).reason !== 'wrong_verification_status') throw error;
    if (!(await isUnrecorded(deps, input, action))) throw error;
  }
  await deps.audit({ actor, businessId, action, subjectId: String(businessId), details: { reason } });
}

/** Milliseconds by which the clocks of the two databases may differ. */
const clockSkewMs = 60_000;

/** Whether business-service has this decision and the audit log does not. */
async function isUnrecorded(
  { findBusiness, auditLog }: DecideVerificationDeps,
  { actor, businessId, approved, reason = '' }: DecideVerificationInput,
  action: string,
): Promise<boolean> {
  const business = await findBusiness(businessId, actor.requestId);
  if (business?.decidedAt === undefined) return false;
  const { verification, rejectionReason, decidedAt } = business;
  if (verification !== (approved ? 'verified' : 'rejected')) return false;
  if (!approved && rejectionReason !== reason) return false;
  return !(await isRecorded(auditLog, businessId, { action, from: decidedAt - clockSkewMs }));
}

const recorded = ['accountHolder', 'username', 'logo'] as const;

/**
 * Changes the record of a business. The audit event is written after the change in business-service, which has a separate
 * database: an event for a change that never happened would be worse than an error after a change that did.
 * @throws AppError username_taken, username_locked, business_banned, unavailable
 */
export async function changeRecord(
  { updateRecord, audit }: ChangeRecordDeps,
  { actor, businessId, changes }: ChangeRecordInput,
): Promise<ChangedRecord> {
  const changed = await updateRecord(businessId, changes, actor);
  const { previous, business } = changed;
  const changedFields = recorded.filter((field) => previous[field] !== business[field]);
  if (changedFields.length === 0) return changed;
  const details = Object.fromEntries(
    changedFields.map((field): [string, Json] => [field, { from: previous[field], to: business[field] }]),
  );
  await audit({ actor, businessId, action: 'business.updated', subjectId: String(businessId), details });
  return changed;
}
