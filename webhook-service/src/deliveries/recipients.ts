import type { Owner } from '../endpoints/endpoint.ts';
import { inBatches } from '../queue/batches.ts';
import type { BodyClaim } from './claim-store.ts';
import type { ClaimedDelivery } from './delivery.ts';

/** An event and the application that would receive it. */
export interface Recipient {
  /** Empty for an endpoint of the business itself. */
  readonly applicationId: string;
  /** The business whose event it is. */
  readonly businessId: number;
  /** Empty for any type, as of a test event. */
  readonly type: string;
  /** The person who made the endpoint; empty where none is known. */
  readonly madeBy: string;
}

/**
 * Whether an attempt may start. `withdrawn`: the owner may not receive the event. `gone`: the turn may no longer attempt it,
 * because the delivery was deleted, the endpoint disabled, its body lost a person, or a later turn began while this process was
 * suspended.
 */
export type Permission = 'allowed' | 'withdrawn' | 'gone';

/** A delivery that a turn is about to attempt. */
export interface Candidate {
  readonly owner: Owner;
  /** The person who made the endpoint; null where none is known. */
  readonly madeBy: string | null;
  readonly delivery: ClaimedDelivery;
  readonly turn: string;
  /** When its claim began, in milliseconds of performance.now(). */
  readonly claimedAtMs: number;
}

export type CheckPermission = (candidate: Candidate) => Promise<Permission>;

interface RecipientDeps {
  /** Asks identity-service. @throws AppError unavailable */
  readonly checkRecipients: (recipients: readonly Recipient[]) => Promise<readonly boolean[]>;
  /** Those of these deliveries that their turns may still attempt, with the same body. */
  readonly findHeld: (claims: readonly BodyClaim[]) => Promise<ReadonlySet<string>>;
}

/** The most that CheckRecipients takes. */
const maxBatch = 500;

/**
 * Milliseconds after which a claim is checked again: the endpoint may have been disabled or claimed by another turn, or a person
 * erased from the body.
 */
const freshMs = 1_000;

/** Creates the check that runs right before each attempt. Checks that begin together share one call. */
export function createPermissionCheck({ checkRecipients, findHeld }: RecipientDeps): CheckPermission {
  return inBatches<Candidate, Permission>(maxBatch, async (candidates) => {
    const allowed = await checkRecipients(candidates.map(recipientOf));
    const limit = performance.now() - freshMs;
    const old = candidates.filter(({ claimedAtMs }) => claimedAtMs < limit).map(claimOf);
    const held = old.length > 0 ? await findHeld(old) : undefined;
    return candidates.map(({ claimedAtMs, delivery }, index) => {
      if (claimedAtMs < limit && held?.has(delivery.id) !== true) return 'gone';
      return allowed[index] === true ? 'allowed' : 'withdrawn';
    });
  });
}

const claimOf = ({ delivery: { id: deliveryId, erasedAt }, turn }: Candidate): BodyClaim => ({
  deliveryId,
  turn,
  erasedAt,
});

function recipientOf({ owner: { applicationId }, madeBy, delivery }: Candidate): Recipient {
  const { businessId, type, sequence } = delivery;
  return { applicationId, businessId, type: sequence === 0 ? '' : type, madeBy: madeBy ?? '' };
}
