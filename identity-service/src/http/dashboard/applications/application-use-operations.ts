import type { ApplicationStore } from '../../../applications/application-store.ts';
import type { FindBusiness } from '../../../applications/business-profile.ts';
import { findBusinesses } from '../../../applications/find-businesses.ts';
import { getApplication } from '../../../applications/get-application.ts';
import { previewWhitelist, type WhitelistPreview } from '../../../applications/preview-whitelist.ts';
import { type ConnectionReader, positionOf } from '../../../grants/connection-reader.ts';
import type { AddressUse, UsageReader } from '../../../usage/usage-reader.ts';
import { businessName } from '../business-name.ts';
import { businessOperation, type Operation } from '../operation.ts';
import { readPage } from '../page-cursor.ts';
import { toAddressUse } from '../traffic.ts';
import * as specs from './applications-specs.ts';

/** Milliseconds for which a caller counts as recent. */
const recentMs = 7 * 24 * 3_600_000;

export interface ApplicationUseDeps {
  readonly applications: ApplicationStore;
  readonly connections: Pick<ConnectionReader, 'held'>;
  readonly usage: Pick<UsageReader, 'applicationPerHour' | 'applicationAddresses'>;
  readonly findBusiness: FindBusiness;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Who uses an application, how much, and from where it calls. */
export function applicationUseOperations(deps: ApplicationUseDeps): Operation[] {
  return [...connectionOperations(deps), ...whitelistOperations(deps)];
}

function connectionOperations(deps: ApplicationUseDeps): Operation[] {
  const { connections, usage, findBusiness } = deps;
  return [
    businessOperation(specs.listApplicationConnections, async ({ businessId, param, query, requestId }) => {
      const { id } = await getApplication(deps, { businessId, applicationId: param('applicationId') });
      const { entries: grants, nextCursor } = await readPage(query.cursor, positionOf, (page) =>
        connections.held(businessId, id, page),
      );
      const ids = grants.map((grant) => grant.businessId);
      const businesses = await findBusinesses(findBusiness, ids, requestId);
      return {
        connections: grants.map((grant) => ({
          ...grant,
          business: businessName(businesses.get(grant.businessId)),
          scopes: [...grant.scopes],
          scopesUsed: [...grant.scopesUsed],
          since: grant.createdAt,
        })),
        nextCursor,
      };
    }),
    businessOperation(specs.getApplicationUsage, async ({ businessId, param, query }) => {
      const { id } = await getApplication(deps, { businessId, applicationId: param('applicationId') });
      return { hours: await usage.applicationPerHour(businessId, id, query) };
    }),
  ];
}

function whitelistOperations(deps: ApplicationUseDeps): Operation[] {
  const { usage, now } = deps;
  return [
    businessOperation(specs.listApplicationCallers, async ({ businessId, param }) => {
      const { id } = await getApplication(deps, { businessId, applicationId: param('applicationId') });
      const since = now() - recentMs;
      const callers = await usage.applicationAddresses(businessId, id, since);
      return { since, callers: callers.map(toAddressUse) };
    }),
    businessOperation(specs.checkNewWhitelist, ({ body, clientIp }) =>
      toAnswer(clientIp, previewWhitelist(body.ipWhitelist, clientIp, [])),
    ),
    businessOperation(specs.checkWhitelist, async ({ businessId, param, body, clientIp }) => {
      const { id } = await getApplication(deps, { businessId, applicationId: param('applicationId') });
      const callers = await usage.applicationAddresses(businessId, id, now() - recentMs);
      const told = callers.filter(({ address }) => address !== '');
      return toAnswer(clientIp, previewWhitelist(body.ipWhitelist, clientIp, told));
    }),
  ];
}

function toAnswer(yourAddress: string, { faults, allowed, shutOut }: WhitelistPreview<AddressUse>) {
  return { yourAddress, allowed, faults, shutOut: shutOut.map(toAddressUse) };
}
