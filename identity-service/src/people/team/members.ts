import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Propagate, Propagation, RaisedGeneration } from '../../platform/credential-generations.ts';
import type { Role } from '../../platform/role.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import { endLeftovers } from './end-leftovers.ts';
import { type Loss, lossOf } from './leftover.ts';
import { type EndpointLeftoversDeps, endEndpoints } from './leftover-endpoints.ts';
import type { LeftoverStore } from './leftover-store.ts';
import type { TeamStore, TeamTransaction } from './store.ts';
import { checkOwner, checkOwnerRemains, memberOf } from './team.ts';

interface WithdrawInvitationInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** The owner who withdraws it. */
  readonly personId: string;
  readonly invitationId: string;
}

/** Withdraws an invitation; its link stops working. @throws AppError not_found when there is none */
export async function withdrawInvitation(
  { team }: { readonly team: TeamStore },
  { actor, businessId, personId, invitationId }: WithdrawInvitationInput,
): Promise<void> {
  await team.inTransaction(async (transaction) => {
    checkOwner(await transaction.lockMembers(businessId), personId);
    const count = await withdraw(transaction, actor, businessId, { id: invitationId });
    if (count === 0) throw new AppError('not_found', 'invitation_not_found', 'no such invitation');
  });
}

/**
 * Withdraws the invitations of a person who is no longer an owner. Otherwise an invitation to another of their mailboxes
 * would let them back in.
 */
export async function withdrawInvitationsOf(
  transaction: TeamTransaction,
  actor: Actor,
  businessId: number,
  personId: string,
): Promise<void> {
  await withdraw(transaction, actor, businessId, { invitedBy: personId });
}

async function withdraw(
  transaction: TeamTransaction,
  actor: Actor,
  businessId: number,
  which: Parameters<TeamTransaction['removeInvitations']>[1],
): Promise<number> {
  const removed = await transaction.removeInvitations(businessId, which);
  for (const { id, email } of removed) {
    const event = { actor, businessId, action: 'member.invitation_withdrawn', subjectId: id };
    await transaction.audit({ ...event, details: { email } });
  }
  return removed.length;
}

export interface ChangeMemberDeps extends EndpointLeftoversDeps {
  readonly leftovers: LeftoverStore;
  readonly hasher: SecretHasher;
  readonly propagate: Propagate;
}

/** Result of a change that may end what a member made, or has seen. */
export interface MemberChange {
  /** Of the keys, secrets and addresses that ended. */
  readonly propagation: Propagation;
  /** Whether the webhook endpoints ended; false while webhook-service does not respond. */
  readonly endpointsEnded: boolean;
}

interface ChangeMemberInput {
  readonly actor: Actor;
  readonly businessId: number;
  /** The owner who changes it. */
  readonly personId: string;
  readonly memberId: string;
  /** Leftovers that stay. */
  readonly kept: readonly string[];
}

/**
 * Changes the role of a member, and ends what the new role may not have. Takes effect at once: roles are read on every request.
 * @throws AppError
 */
export async function changeRole(
  deps: ChangeMemberDeps,
  { role, ...input }: ChangeMemberInput & { readonly role: Role },
): Promise<MemberChange> {
  const { actor, businessId, personId, memberId } = input;
  const { loss, raised } = await deps.leftovers.inTransaction(async (transaction) => {
    const { team } = transaction;
    const members = await team.lockMembers(businessId);
    checkOwner(members, personId);
    const member = memberOf(members, memberId);
    if (member.role === role) return { loss: 'nothing' as const, raised: [] };
    checkOwnerRemains(members, member, role);
    await team.setRole(memberId, businessId, role);
    const details = { email: member.email, role: { from: member.role, to: role } };
    const event = { actor, businessId, action: 'member.role_changed', subjectId: memberId, details };
    await team.audit(event);
    if (role !== 'owner') await withdrawInvitationsOf(team, actor, businessId, memberId);
    const lost = lossOf(member.role, role);
    return { loss: lost, raised: await endLeftovers(transaction, deps.hasher, { ...input, loss: lost }) };
  });
  return settle(deps, input, loss, raised);
}

/** Ends a membership at once. Removing another member also ends what that member made; leaving does not. @throws AppError */
export async function removeMember(deps: ChangeMemberDeps, input: ChangeMemberInput): Promise<MemberChange> {
  const { actor, businessId, personId, memberId } = input;
  const loss = personId === memberId ? 'nothing' : 'all';
  const raised = await deps.leftovers.inTransaction(async (transaction) => {
    const { team } = transaction;
    const members = await team.lockMembers(businessId);
    if (personId !== memberId) checkOwner(members, personId);
    const member = memberOf(members, memberId);
    checkOwnerRemains(members, member, undefined);
    await team.removeMember(memberId, businessId);
    const details = { email: member.email, role: member.role };
    const event = { actor, businessId, action: 'member.removed', subjectId: memberId, details };
    await team.audit(event);
    await withdrawInvitationsOf(team, actor, businessId, memberId);
    return endLeftovers(transaction, deps.hasher, { ...input, loss });
  });
  return settle(deps, input, loss, raised);
}

/** Propagates the change, then ends endpoints. They are ended last, because webhook-service has a separate database. */
async function settle(
  deps: ChangeMemberDeps,
  input: ChangeMemberInput,
  loss: Loss,
  raised: readonly RaisedGeneration[],
): Promise<MemberChange> {
  const propagation = await deps.propagate(raised);
  return { propagation, endpointsEnded: loss !== 'all' || (await endEndpoints(deps, input)) };
}
