import { AppError } from '@platform/service-kit/values/app-error.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import { changeBan, checkBanChanges, type SetBanDeps } from '../credentials/applications/suspend.ts';
import type { Actor } from '../platform/actor.ts';
import type { Propagation } from '../platform/credential-generations.ts';
import type { BanProposal, ProposalStore } from './proposal-store.ts';

export interface ProposeDeps extends SetBanDeps {
  readonly proposals: ProposalStore;
  /** @throws AppError unavailable when business-service does not respond */
  readonly businessExists: (businessId: number, requestId: string) => Promise<boolean>;
}

interface ProposeInput {
  readonly actor: Actor;
  readonly businessId: number;
  readonly isBanned: boolean;
  readonly reason: string;
}

/** Proposes a ban, or its end; resolves to its identifier. @throws AppError not_found, business_banned, business_not_banned, ban_proposed */
export async function proposeBan(
  deps: ProposeDeps,
  { actor, businessId, isBanned, reason }: ProposeInput,
): Promise<string> {
  if (!(await deps.businessExists(businessId, actor.requestId))) {
    throw new AppError('not_found', 'business_not_found', 'no such business');
  }
  await checkBanChanges(deps, businessId, isBanned, actor.requestId);
  const id = randomHexId('ban');
  await deps.proposals.inTransaction(async (transaction) => {
    if (!(await transaction.add({ id, businessId, isBan: isBanned, reason, proposedBy: actor.id }))) {
      const text = 'a proposal about this business is pending: another operator decides it';
      throw new AppError('failed_precondition', 'ban_proposed', text);
    }
    // Its people learn of it with the decision.
    const action = isBanned ? 'business.ban_proposed' : 'business.unban_proposed';
    const details = { reason, proposal: id };
    await transaction.record({ actor, action, businessId, subjectId: String(businessId), details });
  });
  return id;
}

interface DecideInput {
  readonly actor: Actor;
  readonly id: string;
  readonly reason: string;
}

/**
 * Carries out a proposal of another operator, with its reason, in one transaction: a failure leaves it waiting.
 * @throws AppError proposal_not_found, proposal_decided, own_proposal, and what a ban throws
 */
export async function confirmBan(
  deps: ProposeDeps,
  { actor, id, reason }: DecideInput,
): Promise<Propagation> {
  const raised = await deps.proposals.inTransaction(async (transaction) => {
    const proposal = checkDecidable(await transaction.lock(id), actor);
    await transaction.decide(id, 'confirmed', actor.id);
    const { businessId, isBan: isBanned, proposedBy } = proposal;
    const operatorDetails = { proposal: id, proposedBy, confirmed: reason };
    const ban = { actor, businessId, isBanned, reason: proposal.reason, operatorDetails };
    return changeBan(deps, transaction.applications, ban);
  });
  return deps.propagate(raised);
}

/** Ends a proposal of another operator without effect. @throws AppError as `confirmBan` */
export async function declineBan(
  { proposals }: Pick<ProposeDeps, 'proposals'>,
  { actor, id, reason }: DecideInput,
): Promise<void> {
  await proposals.inTransaction(async (transaction) => {
    const { businessId, isBan, proposedBy } = checkDecidable(await transaction.lock(id), actor);
    await transaction.decide(id, 'declined', actor.id);
    const action = isBan ? 'business.ban_declined' : 'business.unban_declined';
    const operatorDetails = { proposal: id, proposedBy };
    const subjectId = String(businessId);
    await transaction.audit({ actor, businessId, action, subjectId, details: { reason }, operatorDetails });
  });
}

/** A waiting proposal of another person, whichever session that person has. @throws AppError */
function checkDecidable(proposal: BanProposal | undefined, actor: Actor): BanProposal {
  if (proposal === undefined) throw new AppError('not_found', 'proposal_not_found', 'no such proposal');
  if (!proposal.waits) {
    throw new AppError(
      'failed_precondition',
      'proposal_decided',
      'this proposal was already decided, or has expired',
    );
  }
  if (proposal.proposedBy !== actor.id) return proposal;
  throw new AppError(
    'permission_denied',
    'own_proposal',
    'an operator other than the one who proposed it must decide',
  );
}
