import { createHash } from 'node:crypto';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { type AuditReader, isRecorded } from '../audit/store.ts';
import type { BusinessDraft, CreateBusiness, LegalFacts, SubmitVerification } from '../clients/business.ts';
import type { Actor, AuditEvent } from '../platform/actor.ts';

export interface ByOperatorDeps {
  readonly createBusiness: CreateBusiness;
  readonly submitVerification: SubmitVerification;
  readonly auditLog: Pick<AuditReader, 'page'>;
  readonly audit: (event: AuditEvent) => Promise<void>;
}

interface CreateInput {
  readonly actor: Actor;
  readonly business: BusinessDraft & { readonly logo: string };
}

/**
 * Creates a business without people, and resolves to its id. business-service and this service have separate databases: if
 * a command is interrupted between the two writes, its repetition finds the business by the creation key and records it.
 * Once it is recorded, the username counts as taken.
 * @throws AppError username_taken; as `CreateBusiness`
 */
export async function createForOperator(
  { createBusiness, auditLog, audit }: ByOperatorDeps,
  { actor, business }: CreateInput,
): Promise<number> {
  const { accountHolder, username } = business;
  // Hashed, because a username that business-service will refuse may be longer than a key.
  const creationKey = `operator:${createHash('sha256').update(username).digest('hex')}`;
  const created = await createBusiness({ ...business, creationKey }, actor.requestId);
  const action = 'business.created';
  if (created.kind === 'username_taken' || (await isRecorded(auditLog, created.businessId, { action }))) {
    throw new AppError('conflict', 'username_taken', 'the username is taken');
  }
  const { businessId } = created;
  const details = { accountHolder, username };
  await audit({ actor, businessId, action, subjectId: String(businessId), details });
  return businessId;
}

interface SubmitInput {
  readonly actor: Actor;
  readonly businessId: number;
  readonly facts: LegalFacts;
}

/** Submits the legal facts of a business in place of its owners. @throws AppError wrong_verification_status */
export async function submitForOperator(
  { submitVerification, audit }: ByOperatorDeps,
  { actor, businessId, facts }: SubmitInput,
): Promise<void> {
  if ((await submitVerification(businessId, facts, actor)) === 'not_now') {
    const text = 'the facts wait for a decision, or were approved: leave them out';
    throw new AppError('failed_precondition', 'wrong_verification_status', text);
  }
  const action = 'business.verification_submitted';
  await audit({ actor, businessId, action, subjectId: String(businessId), details: { ...facts } });
}
