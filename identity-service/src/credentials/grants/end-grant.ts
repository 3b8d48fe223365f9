import { isReuse } from '../../audit/notices/notice.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Propagate, Propagation } from '../../platform/credential-generations.ts';
import { disconnectedEvent } from './connection-event.ts';
import { type EndReason, grantNotFound } from './grant.ts';
import type { GrantStore, GrantTransaction } from './store.ts';

/**
 * Ends a Grant with all its codes and tokens, within a transaction. If a code or token was used twice, the publisher of the
 * application also gets an event, since it may have been stolen there. Resolves to the generation to publish; undefined
 * when the Grant had already ended.
 */
export async function endGrant(
  transaction: Pick<GrantTransaction, 'end' | 'raiseGeneration' | 'insertEvent' | 'audit'>,
  actor: Actor,
  grantId: string,
  reason: EndReason,
): Promise<{ readonly businessId: number; readonly generation: number } | undefined> {
  const ended = await transaction.end(grantId, reason);
  if (ended === undefined) return undefined;
  const { businessId, applicationId, applicationBusinessId, applicationName: name } = ended;
  const details = { applicationId, name, reason };
  await transaction.audit({ actor, businessId, action: 'grant.ended', subjectId: grantId, details });
  if (isReuse(reason) && applicationBusinessId !== businessId) {
    await transaction.audit({
      actor,
      businessId: applicationBusinessId,
      action: 'application.connection_ended',
      subjectId: applicationId,
      // The id by which applications know the business. Its names would need a call to another service during an attack.
      details: { name, business: `business ${businessId}`, reason },
    });
  }
  await transaction.insertEvent(disconnectedEvent(ended, reason, ended.endedAt));
  return { businessId, generation: await transaction.raiseGeneration(businessId) };
}

export interface DisconnectGrantDeps {
  readonly grants: GrantStore;
  readonly propagate: Propagate;
}

interface DisconnectGrantInput {
  readonly actor: Actor;
  /** The business that approved the application. */
  readonly businessId: number;
  readonly grantId: string;
}

/**
 * Ends a Grant on behalf of the business that gave it. Repeating it publishes the generation again, so that a client that
 * lost the first response learns whether gateways have confirmed.
 * @throws AppError not_found, also for another business's Grant
 */
export async function disconnectGrant(
  { grants, propagate }: DisconnectGrantDeps,
  { actor, businessId, grantId }: DisconnectGrantInput,
): Promise<Propagation> {
  const generation = await grants.inTransaction(async (transaction) => {
    if ((await transaction.businessOf(grantId)) !== businessId) {
      throw grantNotFound();
    }
    const ended = await endGrant(transaction, actor, grantId, 'disconnected');
    return ended?.generation ?? (await transaction.raiseGeneration(businessId));
  });
  return propagate([{ businessId, generation }]);
}
