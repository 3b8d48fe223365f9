import { type FindBusiness, findBusinesses } from '../../clients/business.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Propagate, Propagation } from '../../platform/credential-generations.ts';
import { checkReason } from '../../platform/reason.ts';
import { foreignActor } from '../suspensions/suspension.ts';
import { grantNotFound } from './grant.ts';
import type { GrantStore, GrantTransaction, LockedGrant } from './store.ts';

export interface SuspendGrantDeps {
  readonly grants: GrantStore;
  readonly propagate: Propagate;
  readonly findBusiness: FindBusiness;
}

interface GrantReference {
  readonly actor: Actor;
  /** The business that approved the application. */
  readonly businessId: number;
  readonly grantId: string;
}

interface SuspendGrantInput extends GrantReference {
  /** One line of at most 200 characters, for the business itself; may be empty. */
  readonly reason: string;
}

/**
 * Suspends a connection until `resumeGrant`: its tokens are refused and stay as they are. Repeating it publishes the
 * generation again, so that a client that lost the first response learns whether gateways have confirmed.
 * @throws AppError invalid_argument; not_found, also for another business's Grant and one that has ended
 */
export async function suspendGrant(
  deps: SuspendGrantDeps,
  { reason: submitted, ...reference }: SuspendGrantInput,
): Promise<Propagation> {
  const reason = checkReason(submitted);
  return changeGrant(deps, reference, 'suspended', async (transaction, { id }) =>
    (await transaction.suspendGrant(id, reference.actor.id, reason)) ? reason : undefined,
  );
}

/** Lifts the suspension of a connection. Without one, publishes the generation again. @throws AppError not_found */
export function resumeGrant(deps: SuspendGrantDeps, reference: GrantReference): Promise<Propagation> {
  return changeGrant(
    deps,
    reference,
    'resumed',
    async (transaction, { id }) => (await transaction.resumeGrant(id))?.reason,
  );
}

/** @param apply resolves to the reason; undefined when nothing changed */
async function changeGrant(
  { grants, propagate, findBusiness }: SuspendGrantDeps,
  { actor, businessId, grantId }: GrantReference,
  verb: 'suspended' | 'resumed',
  apply: (transaction: GrantTransaction, grant: LockedGrant) => Promise<string | undefined>,
): Promise<Propagation> {
  const known = await findBusinesses(findBusiness, [businessId], actor.requestId);
  const profile = known.get(businessId);
  const generation = await grants.inTransaction(async (transaction) => {
    const grant = await transaction.lockLive(businessId, grantId);
    if (grant === undefined) {
      throw grantNotFound();
    }
    const reason = await apply(transaction, grant);
    if (reason !== undefined) {
      const { applicationId, applicationName: name, applicationBusinessId, clientId } = grant;
      const details = { applicationId, name, reason: reason || undefined };
      const event = { actor, businessId, action: `grant.${verb}`, subjectId: grantId, details };
      await transaction.audit(event);
      if (applicationBusinessId !== businessId) {
        const business = profile && `${profile.accountHolder} (@${profile.username})`;
        await transaction.audit({
          actor: { ...foreignActor(actor, clientId), kind: 'system', id: 'connected business' },
          businessId: applicationBusinessId,
          action: `application.connection_${verb}`,
          subjectId: applicationId,
          details: { name, business },
        });
      }
    }
    return transaction.raiseGeneration(businessId);
  });
  return propagate([{ businessId, generation }]);
}
