import { z } from 'zod';
import type { Actor, AuditEvent } from '../platform/actor.ts';
import type { LoggedEvent } from './revocation.ts';
import type { RestoreStore, RestoreTransaction } from './store.ts';

/** Why something was changed, in the audit log. */
export const reason = 'A backup was restored.';

/** The new value of a changed field; undefined when the change did not concern it. */
export const changedTo = (value: unknown) => z.object({ to: z.unknown() }).safeParse(value).data?.to;

type Change = (transaction: RestoreTransaction) => Promise<boolean>;

/** Changes a row without an operation of its own, and records the event again when it did. False when it did not. */
export async function changeRow(
  { store }: { readonly store: RestoreStore },
  { businessId, action, subjectId, details }: LoggedEvent,
  actor: Actor,
  change: Change,
): Promise<boolean> {
  return await store.inTransaction(async (transaction) => {
    if (!(await change(transaction))) return false;
    const recorded: AuditEvent = {
      actor,
      businessId,
      action,
      subjectId,
      details: {
        reason,
        id: textOf(details, 'id'),
        role: textOf(details, 'role'),
        sealedEmail: textOf(details, 'sealedEmail'),
        firstFactor: details.firstFactor === true || undefined,
      },
    };
    await transaction.audit(recorded);
    return true;
  });
}

function textOf(details: LoggedEvent['details'], field: string): string | undefined {
  return z
    .string()
    .optional()
    .catch(undefined)
    .parse(changedTo(details[field]) ?? details[field]);
}
