import type { Actor } from '../audit/audit-event.ts';
import type { EndReason } from './grant.ts';
import type { GrantTransaction } from './grant-store.ts';

/**
 * Ends a Grant within a transaction: codes and tokens hang off it and are dead with it. Resolves to the generation that
 * gateways have to hear of; undefined when the Grant had ended already.
 */
export async function endGrant(
  transaction: Pick<GrantTransaction, 'end' | 'raiseGeneration' | 'audit'>,
  actor: Actor,
  grantId: string,
  reason: EndReason,
): Promise<{ readonly businessId: number; readonly generation: number } | undefined> {
  const ended = await transaction.end(grantId, reason);
  if (ended === undefined) return undefined;
  const { businessId, applicationId, applicationName: name } = ended;
  const details = { applicationId, name, reason };
  await transaction.audit({ actor, businessId, action: 'grant.ended', subjectId: grantId, details });
  return { businessId, generation: await transaction.raiseGeneration(businessId) };
}
