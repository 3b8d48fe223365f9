import { inBatches } from '../batches.ts';
import type { Owner } from '../endpoints/endpoint.ts';
import type { Claim } from './claim-store.ts';
import type { ClaimedDelivery } from './delivery.ts';

/** An event and the application that would receive it. */
export interface Recipient {
  /** Empty for an endpoint of the business itself. */
  readonly applicationId: string;
  /** The business whose event it is. */
  readonly businessId: number;
  /** Empty for any type, as of a test event. */
  readonly type: string;
}

/**
 * Whether an attempt may start: no when the event is not the owner's to know, the endpoint is disabled, or the delivery
 * has gone: deleted, or claimed by a later turn because this process stood still.
 */
export type Permission = 'allowed' | 'withdrawn' | 'skipped' | 'gone';

export type CheckPermission = (owner: Owner, delivery: ClaimedDelivery, turn: string) => Promise<Permission>;

interface RecipientDeps {
  /** Asks identity-service. @throws AppError unavailable */
  readonly checkRecipients: (recipients: readonly Recipient[]) => Promise<readonly boolean[]>;
  /** Those of these deliveries that their turns still hold, and whether their endpoint is enabled. */
  readonly findHeld: (claims: readonly Claim[]) => Promise<ReadonlyMap<string, boolean>>;
}

interface Question {
  readonly claim: Claim;
  readonly recipient: Recipient;
}

/** The most that CheckRecipients takes. */
const maxBatch = 500;

/** A check just before each attempt; checks that begin together share one question to each side. */
export function createPermissionCheck({ checkRecipients, findHeld }: RecipientDeps): CheckPermission {
  const check = inBatches<Question, Permission>(maxBatch, async (asked) => {
    const [allowed, held] = await Promise.all([
      checkRecipients(asked.map(({ recipient }) => recipient)),
      findHeld(asked.map(({ claim }) => claim)),
    ]);
    return asked.map(({ claim }, index) => {
      const isEnabled = held.get(claim.deliveryId);
      if (isEnabled === undefined) return 'gone';
      if (!isEnabled) return 'skipped';
      return allowed[index] === true ? 'allowed' : 'withdrawn';
    });
  });
  return ({ applicationId }, { id: deliveryId, businessId, type, sequence }, turn) =>
    check({
      claim: { deliveryId, turn },
      recipient: { applicationId, businessId, type: sequence === 0 ? '' : type },
    });
}
