import { type FindBusiness, findBusinesses } from '../../clients/business.ts';
import { readPage } from '../../platform/pagination.ts';
import { choosableScopes } from '../../platform/scope.ts';
import type { AddressUse } from '../../traffic/usage.ts';
import { toAddressUse } from '../../traffic/usage-fields.ts';
import type { UsageReader } from '../../traffic/usage-report-store.ts';
import { asSentence } from '../../web/dashboard-api/errors.ts';
import { businessName } from '../../web/dashboard-api/fields.ts';
import { InvalidInput, withFields } from '../../web/dashboard-api/input.ts';
import { businessOperation, type Operation } from '../../web/dashboard-api/operation.ts';
import { type ConnectionReader, positionOf } from '../grants/store.ts';
import { type Application, findRegistrationObstacle, maxApplications } from './application.ts';
import * as specs from './dashboard-schema.ts';
import {
  type CreateApplicationDeps,
  createApplication,
  deleteApplication,
  deleteClientSecret,
  getApplication,
  type RotateClientSecretDeps,
  rotateClientSecret,
  updateApplication,
} from './operations.ts';
import {
  findSettingsErrors,
  previewWhitelist,
  type SettingsUpdate,
  type WhitelistPreview,
} from './settings.ts';
import type { ApplicationStore } from './store.ts';
import { resumeApplication, type SuspendDeps, suspendApplication } from './suspend.ts';

/** An application as responses carry it. */
function applicationRecord(application: Application) {
  return {
    ...application,
    secrets: [...application.secrets],
    suspensions: [...application.suspensions],
  };
}

interface ApplicationsOperationsDeps extends CreateApplicationDeps, RotateClientSecretDeps {}

/** Applications and their secrets. */
export function applicationsOperations(deps: ApplicationsOperationsDeps): Operation[] {
  return [...settingsOperations(deps), ...secretOperations(deps), ...suspensionOperations(deps)];
}

function settingsOperations(deps: ApplicationsOperationsDeps): Operation[] {
  const { applications, findBusiness, apiScopes } = deps;
  return [
    businessOperation(specs.listApplications, async ({ businessId, requestId }) => {
      const [found, known] = await Promise.all([
        applications.list(businessId),
        findBusinesses(findBusiness, [businessId], requestId),
      ]);
      const obstacle = findRegistrationObstacle(known.get(businessId), found.length);
      return {
        applications: found.map(applicationRecord),
        limit: maxApplications,
        obstacle: obstacle === undefined ? null : { ...obstacle, text: asSentence(obstacle.text) },
      };
    }),
    businessOperation(specs.createApplication, async ({ actor, businessId, body }) => {
      checkForm(choosableScopes(apiScopes), body);
      const created = await createApplication(deps, { actor, businessId, settings: body });
      return { application: applicationRecord(created.application), clientSecret: created.clientSecret };
    }),
    businessOperation(specs.getApplication, async ({ businessId, param }) =>
      applicationRecord(await getApplication(deps, { businessId, applicationId: param('applicationId') })),
    ),
    businessOperation(specs.updateApplication, async ({ actor, businessId, param, body }) => {
      const applicationId = param('applicationId');
      const { scopes } = await getApplication(deps, { businessId, applicationId });
      checkForm(choosableScopes(apiScopes, scopes), body);
      const input = { actor, businessId, applicationId, update: body };
      const { application, propagation } = await updateApplication(deps, input);
      return { application: applicationRecord(application), propagation };
    }),
    businessOperation(specs.allowAddress, async ({ actor, businessId, param, body: { address } }) => {
      const update = ({ ipWhitelist }: Application) => ({ ipWhitelist: [...ipWhitelist, address] });
      const input = { actor, businessId, applicationId: param('applicationId'), update };
      const { application, propagation } = await withFields({ invalid_ip_whitelist: 'address' }, () =>
        updateApplication(deps, input),
      );
      return { application: applicationRecord(application), propagation };
    }),
    businessOperation(specs.deleteApplication, async ({ actor, businessId, param }) => ({
      propagation: await deleteApplication(deps, {
        actor,
        businessId,
        applicationId: param('applicationId'),
      }),
    })),
  ];
}

function secretOperations(deps: ApplicationsOperationsDeps): Operation[] {
  return [
    businessOperation(specs.rotateClientSecret, async ({ actor, businessId, param, body }) => {
      const input = { actor, businessId, applicationId: param('applicationId'), ...body };
      const { application, clientSecret, propagation } = await rotateClientSecret(deps, input);
      return { application: applicationRecord(application), clientSecret, propagation };
    }),
    businessOperation(specs.deleteClientSecret, async ({ actor, businessId, param }) => {
      const reference = { applicationId: param('applicationId'), clientSecretId: param('clientSecretId') };
      const { application, propagation } = await deleteClientSecret(deps, {
        actor,
        businessId,
        ...reference,
      });
      return { application: applicationRecord(application), propagation };
    }),
  ];
}

function suspensionOperations(deps: SuspendDeps): Operation[] {
  const cause = 'publisher';
  return [
    businessOperation(specs.suspendApplication, async ({ actor, businessId, param, body: { reason } }) => {
      const input = { actor, businessId, applicationId: param('applicationId'), cause, reason } as const;
      const { application, propagation } = await withFields({ invalid_reason: 'reason' }, () =>
        suspendApplication(deps, input),
      );
      return { application: applicationRecord(application), propagation };
    }),
    businessOperation(specs.resumeApplication, async ({ actor, businessId, param }) => {
      const input = { actor, businessId, applicationId: param('applicationId'), cause } as const;
      const { application, propagation } = await resumeApplication(deps, input);
      return { application: applicationRecord(application), propagation };
    }),
  ];
}

/** A form shows every validation error; the domain throws the first. @throws InvalidInput */
function checkForm(choosable: ReadonlySet<string>, settings: SettingsUpdate): void {
  const errors = findSettingsErrors(choosable, settings);
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors);
}

/** Milliseconds for which a client address counts as recent. */
const recentMs = 7 * 24 * 3_600_000;

interface ApplicationUseDeps {
  readonly applications: ApplicationStore;
  readonly connections: Pick<ConnectionReader, 'held'>;
  readonly usage: Pick<UsageReader, 'applicationPerHour' | 'applicationAddresses'>;
  readonly findBusiness: FindBusiness;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Connections, usage and client addresses of an application. */
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
      toWhitelistCheck(clientIp, previewWhitelist(body.ipWhitelist, clientIp, [])),
    ),
    businessOperation(specs.checkWhitelist, async ({ businessId, param, body, clientIp }) => {
      const { id } = await getApplication(deps, { businessId, applicationId: param('applicationId') });
      const callers = await usage.applicationAddresses(businessId, id, now() - recentMs);
      const known = callers.filter(({ address }) => address !== '');
      return toWhitelistCheck(clientIp, previewWhitelist(body.ipWhitelist, clientIp, known));
    }),
  ];
}

/** Effect of a whitelist as the dashboard API returns it. */
export function toWhitelistCheck(
  yourAddress: string,
  { errors, allowed, shutOut }: WhitelistPreview<AddressUse>,
) {
  return { yourAddress, allowed, errors, shutOut: shutOut.map(toAddressUse) };
}
