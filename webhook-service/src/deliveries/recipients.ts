import { inBatches } from '../batches.ts';
import type { Owner } from '../endpoints/endpoint.ts';
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

/** Whether an attempt may start: no when the event is not the owner's to know, or the endpoint is disabled. */
export type Permission = 'allowed' | 'withdrawn' | 'skipped';

export type CheckPermission = (owner: Owner, delivery: ClaimedDelivery) => Promise<Permission>;

interface RecipientDeps {
  /** Asks identity-service. @throws AppError unavailable */
  readonly checkRecipients: (recipients: readonly Recipient[]) => Promise<readonly boolean[]>;
  /** Those of these endpoints that exist and are enabled. */
  readonly enabledAmong: (endpointIds: readonly string[]) => Promise<ReadonlySet<string>>;
}

/** The most that CheckRecipients takes. */
const maxBatch = 500;

/** A check just before each attempt; checks that begin together share one question to each side. */
export function createPermissionCheck({ checkRecipients, enabledAmong }: RecipientDeps): CheckPermission {
  const check = inBatches<Recipient & { readonly endpointId: string }, Permission>(
    maxBatch,
    async (asked) => {
      const [allowed, enabled] = await Promise.all([
        checkRecipients(asked.map(({ endpointId: _, ...recipient }) => recipient)),
        enabledAmong([...new Set(asked.map(({ endpointId }) => endpointId))]),
      ]);
      return asked.map(({ endpointId }, index) => {
        if (!enabled.has(endpointId)) return 'skipped';
        return allowed[index] === true ? 'allowed' : 'withdrawn';
      });
    },
  );
  return ({ applicationId }, { endpointId, businessId, type, sequence }) =>
    check({ endpointId, applicationId, businessId, type: sequence === 0 ? '' : type });
}
