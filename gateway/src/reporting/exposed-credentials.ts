import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { Authorizer, Sequence } from '../access/authorizer.ts';
import type { ConnectionBearer } from '../access/connection-bearer.ts';
import type { Principal } from '../principal.ts';
import type { EndedRequest } from './ended-request.ts';
import type { RequestRecordBuffer } from './request-records.ts';

/*
 * Requests over http are refused before their credential is checked, so that the response costs and reveals nothing.
 * The credential may still have been read on the way, so its owner has to be notified: it is looked up after the response,
 * for the record alone. Random strings have no valid tag and are not looked up. Look-ups are limited; past the limit a
 * request is recorded without a business, like one with an unknown credential.
 */

/** Records requests that were refused because they came over http, with the owner of their credential. */
export interface ExposedCredentials {
  /** @param known credential of the request; undefined for none that is well-formed */
  record(request: EndedRequest, known: ConnectionBearer | undefined): void;
  /** Waits for the look-ups in progress; each has a deadline. */
  settle(): Promise<void>;
}

interface ExposedCredentialsDeps {
  readonly authorizer: Pick<Authorizer, 'getCached'>;
  readonly sequence: Sequence;
  readonly hasValidTag: (bearer: string) => boolean;
  /** Counts look-ups per network. Returns 0 while another one is allowed. */
  readonly limit: { count(network: string): number };
  readonly records: Pick<RequestRecordBuffer, 'record'>;
  /** Milliseconds on a monotonic clock. */
  readonly monotonicNow: () => number;
}

/** Look-ups at a time. */
const maxPending = 16;

export function createExposedCredentials(deps: ExposedCredentialsDeps): ExposedCredentials {
  const { authorizer, sequence, hasValidTag, limit, records, monotonicNow } = deps;
  const pending = new Set<Promise<void>>();

  /** The owner of the credential; undefined when it is unknown or cannot be looked up now. */
  async function findPrincipal(
    request: EndedRequest,
    known: ConnectionBearer | undefined,
  ): Promise<Principal | undefined> {
    const { clientIp, requiredScope, requestId } = request;
    if (known === undefined || !hasValidTag(known.bearer)) return undefined;
    if (pending.size >= maxPending || limit.count(addressBlock(clientIp)) > 0) return undefined;
    const startedAt = monotonicNow();
    const query = { bearer: known.bearer, known, clientIp, requiredScope, requestId, startedAt };
    const result = await authorizer.getCached(query, sequence());
    return result.outcome === 'unavailable' ? undefined : result.principal;
  }

  return {
    record: (request, known) => {
      const recorded = findPrincipal(request, known)
        .then((principal) => records.record({ ...request, principal }))
        .finally(() => pending.delete(recorded));
      pending.add(recorded);
    },
    settle: async () => {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
