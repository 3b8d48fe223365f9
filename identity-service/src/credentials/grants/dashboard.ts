import { type BusinessProfile, findBusinesses } from '../../clients/business.ts';
import { readPage } from '../../platform/pagination.ts';
import type { ScopeUse } from '../../traffic/usage.ts';
import type { UsageReader } from '../../traffic/usage-report-store.ts';
import { businessName } from '../../web/dashboard-api/fields.ts';
import { withFields } from '../../web/dashboard-api/input.ts';
import { businessOperation, type Operation } from '../../web/dashboard-api/operation.ts';
import * as specs from './dashboard-schema.ts';
import { type DisconnectGrantDeps, disconnectGrant } from './end-grant.ts';
import { applicationSuspension } from './grant.ts';
import { type ConnectionReader, type GivenGrant, positionOf } from './store.ts';
import { resumeGrant, type SuspendGrantDeps, suspendGrant } from './suspend-grant.ts';

interface ConnectedOperationsDeps extends DisconnectGrantDeps, SuspendGrantDeps {
  readonly connections: Pick<ConnectionReader, 'given'>;
  readonly usage: Pick<UsageReader, 'scopeUses'>;
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
    businessOperation(specs.suspendConnection, async ({ actor, businessId, param, body: { reason } }) => {
      const input = { actor, businessId, grantId: param('grantId'), reason };
      return {
        propagation: await withFields({ invalid_reason: 'reason' }, () => suspendGrant(deps, input)),
      };
    }),
    businessOperation(specs.resumeConnection, async ({ actor, businessId, param }) => ({
      propagation: await resumeGrant(deps, { actor, businessId, grantId: param('grantId') }),
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
    suspension: ownSuspension(grant),
    applicationSuspension: suspensionOfApplication(grant),
  };
}

function ownSuspension({ suspendedAt: since, suspensionReason, suspendedByName }: GivenGrant) {
  return since === undefined ? null : { since, reason: suspensionReason ?? '', by: suspendedByName ?? null };
}

function suspensionOfApplication(grant: GivenGrant) {
  const suspension = applicationSuspension(grant);
  if (suspension === undefined) return null;
  const { cause, suspendedAt: since } = suspension;
  return { since, by: cause === 'publisher' ? ('publisher' as const) : ('platform' as const) };
}
