import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import { z } from 'zod';
import { newUndoToken, openSealedEmail } from '../people/email-change/email-change.ts';
import type { Actor } from '../platform/actor.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import { changeRow, reason } from './change-row.ts';
import type { LoggedEvent } from './revocation.ts';
import type { RestoreStore } from './store.ts';

export interface SetEmailDeps {
  readonly store: RestoreStore;
  readonly sealer: Sealer;
  readonly hasher: SecretHasher;
  /** A password hash that no password has. */
  readonly unusableHash: string;
}

/** Result for an address that no key of ENCRYPTION_KEYS decrypts. The password was ended instead. */
export const unopened = 'unopened';

/** Repeats a change of a person's address, or its undoing. */
export async function replayEmail(deps: SetEmailDeps, event: LoggedEvent, actor: Actor): Promise<unknown> {
  const { subjectId, action, details } = event;
  const email = openSealedEmail(deps.sealer, subjectId, z.string().catch('').parse(details.sealedEmail));
  if (email === undefined) return (await endPassword(deps, event, actor)) ? unopened : undefined;
  if (!action.endsWith('_undone')) return changeEmail(deps, event, { actor, email });
  return changeRow(deps, event, actor, async (transaction) => {
    await transaction.useUndo(subjectId, email);
    const isSet = await transaction.setEmail(subjectId, email);
    const isEnded = await transaction.endPassword(subjectId, deps.unusableHash);
    return isSet || isEnded;
  });
}

/** Ends the password only. The person keeps the address of the backup, which may belong to an attacker. */
function endPassword(deps: SetEmailDeps, event: LoggedEvent, actor: Actor): Promise<boolean> {
  const recorded = { ...event, action: 'person.password_reset', details: {} };
  return changeRow(deps, recorded, actor, (transaction) =>
    transaction.endPassword(event.subjectId, deps.unusableHash),
  );
}

interface LoggedEmail {
  readonly actor: Actor;
  readonly email: string;
}

/**
 * Changes the address and creates a new undo link, because the original one was lost with the database. Does nothing if the
 * link already exists, since the event is recorded under each business of the person and may be replayed repeatedly.
 */
function changeEmail(
  { store, sealer, hasher }: SetEmailDeps,
  { id: eventId, subjectId: personId, at: changedAt, details }: LoggedEvent,
  { actor, email }: LoggedEmail,
): Promise<void> {
  const id = z
    .string()
    .catch(() => randomHexId('emu'))
    .parse(details.id);
  return store.inTransaction(async (transaction) => {
    const replaced = await transaction.lockEmail(personId);
    if (replaced === undefined || replaced === email || (await transaction.hasUndo(id))) return;
    if (!(await transaction.setEmail(personId, email))) return;
    await transaction.addUndo({
      ...newUndoToken({ sealer, hasher }, id),
      personId,
      email: replaced,
      changedAt,
    });
    await transaction.auditPerson(personId, {
      // A request id per change, because notices of one request are merged.
      actor: { ...actor, requestId: `${actor.requestId}-${eventId}` },
      action: 'person.email_changed',
      details: { reason, id, sealedEmail: z.string().parse(details.sealedEmail) },
      noticeDetails: { from: replaced, to: email },
    });
  });
}
