import { randomHexId } from '@platform/service-kit/values/ids.ts';
import type { BusinessDraft, CreateBusiness } from '../clients/business.ts';
import { validateUsername } from '../people/person.ts';
import type { Actor } from '../platform/actor.ts';
import { type FieldErrors, fieldErrors, hasErrors, publicNameError } from '../platform/text.ts';
import type { CreationStore } from './creation-store.ts';

export interface CreateBusinessDeps {
  readonly creations: CreationStore;
  readonly createBusiness: CreateBusiness;
}

interface CreateBusinessInput {
  /** The person who owns it. */
  readonly actor: Actor;
  readonly submitted: BusinessDraft;
}

type Creation =
  | { readonly kind: 'created'; readonly businessId: number }
  | { readonly kind: 'refused'; readonly errors: FieldErrors };

/** Trims and validates; errors are keyed by field. */
function validateDraft({ accountHolder, username }: BusinessDraft) {
  const draft = { accountHolder: accountHolder.trim(), username: username.trim().toLowerCase() };
  const errors = fieldErrors({
    accountHolder: publicNameError(draft.accountHolder, 'the name of your business', 200),
    username: validateUsername(draft.username),
  });
  return { draft, errors };
}

/**
 * Creates another business for a person, its owner. business-service has a separate database, so an idempotency key is
 * stored from before the business exists until its first membership does: a repetition after a failure finds that
 * business. Afterwards the key is deleted, so that no repetition gives a business back to a person who has left it.
 * @throws AppError unavailable when business-service does not respond
 */
export async function createOwnBusiness(
  { creations, createBusiness }: CreateBusinessDeps,
  { actor, submitted }: CreateBusinessInput,
): Promise<Creation> {
  const { draft, errors } = validateDraft(submitted);
  if (hasErrors(errors)) return { kind: 'refused', errors };
  const { username } = draft;
  const creationKey = await creations.begin(actor.id, username, `business:${randomHexId('new')}`);
  const created = await createBusiness({ ...draft, creationKey }, actor.requestId);
  if (created.kind === 'username_taken') {
    await creations.discard(actor.id, username);
    return { kind: 'refused', errors: { username: 'This username is taken. Choose another one.' } };
  }
  await creations.complete({ actor, username, businessId: created.businessId });
  return created;
}
