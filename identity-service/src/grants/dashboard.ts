import { businessName } from '../businesses/dashboard.ts';
import { type BusinessProfile, type FindBusiness, findBusinesses } from '../platform/businesses.ts';
import { readPage } from '../platform/pagination.ts';
import type { ScopeUse } from '../traffic/usage.ts';
import type { UsageReader } from '../traffic/usage-report-store.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import * as specs from './dashboard-schema.ts';
import { type DisconnectGrantDeps, disconnectGrant } from './end-grant.ts';
import { type ConnectionReader, type GivenGrant, positionOf } from './store.ts';

interface ConnectedOperationsDeps extends DisconnectGrantDeps {
  readonly connections: Pick<ConnectionReader, 'given'>;
  readonly usage: Pick<UsageReader, 'scopeUses'>;
  readonly findBusiness: FindBusiness;
}

/** Operations on the connected applications of a business. */
export function connectedOperations(deps: ConnectedOperationsDeps): Operation[] {
  const { connections, usage, findBusiness } = deps;
  return [
    businessOperation(specs.listConnections, async ({ businessId, query, requestId }) => {
      const { entries: grants, nextCursor } = await readPage(query.cursor, positionOf, (page) =>
        connections.given(businessId, page),
      );
      const [uses, publishers] = await Promise.all([
        usage.scopeUses(
          businessId,
          grants.map(({ id }) => id),
        ),
        findBusinesses(
          findBusiness,
          grants.map((grant) => grant.applicationBusinessId),
          requestId,
        ),
      ]);
      const shown = grants.map((grant) =>
        connectedApp(grant, uses, publishers.get(grant.applicationBusinessId)),
      );
      return { connections: shown, nextCursor };
    }),
    businessOperation(specs.disconnect, async ({ actor, businessId, param }) => ({
      propagation: await disconnectGrant(deps, { actor, businessId, grantId: param('grantId') }),
    })),
  ];
}

function connectedApp(grant: GivenGrant, uses: readonly ScopeUse[], publisher: BusinessProfile | undefined) {
  const { id, applicationName: name, applicationDescription: description } = grant;
  const lastUse = (scope: string) =>
    uses.find((use) => use.limitId === id && use.scope === scope)?.lastUsedAt;
  return {
    ...grant,
    application: { name, description },
    publisher: businessName(publisher),
    scopes: grant.scopes.map((scope) => ({
      scope,
      used: grant.scopesUsed.includes(scope),
      lastUsedAt: lastUse(scope),
    })),
    approvedBy: grant.personName ?? null,
    connectedAt: grant.createdAt,
    lastUsedIp: grant.lastUsedIp ?? null,
  };
}
