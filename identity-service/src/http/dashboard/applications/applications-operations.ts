import { maxApplications } from '../../../applications/application-limit.ts';
import type { SettingsUpdate } from '../../../applications/check-update.ts';
import { type CreateApplicationDeps, createApplication } from '../../../applications/create-application.ts';
import { deleteApplication } from '../../../applications/delete-application.ts';
import { deleteClientSecret } from '../../../applications/delete-client-secret.ts';
import { findBusinesses } from '../../../applications/find-businesses.ts';
import { getApplication } from '../../../applications/get-application.ts';
import { findRegistrationObstacle } from '../../../applications/registration-obstacle.ts';
import {
  type RotateClientSecretDeps,
  rotateClientSecret,
} from '../../../applications/rotate-client-secret.ts';
import { findSettingsFaults } from '../../../applications/settings-faults.ts';
import { updateApplication } from '../../../applications/update-application.ts';
import { asSentence } from '../as-sentence.ts';
import { InvalidInput } from '../invalid-input.ts';
import { businessOperation, type Operation } from '../operation.ts';
import { applicationRecord } from './application-record.ts';
import * as specs from './applications-specs.ts';

export interface ApplicationsOperationsDeps extends CreateApplicationDeps, RotateClientSecretDeps {}

/** Applications and their secrets. */
export function applicationsOperations(deps: ApplicationsOperationsDeps): Operation[] {
  return [...settingsOperations(deps), ...secretOperations(deps)];
}

function settingsOperations(deps: ApplicationsOperationsDeps): Operation[] {
  const { applications, findBusiness } = deps;
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
      refuseFaults(body);
      const created = await createApplication(deps, { actor, businessId, settings: body });
      return { application: applicationRecord(created.application), clientSecret: created.clientSecret };
    }),
    businessOperation(specs.getApplication, async ({ businessId, param }) =>
      applicationRecord(await getApplication(deps, { businessId, applicationId: param('applicationId') })),
    ),
    businessOperation(specs.updateApplication, async ({ actor, businessId, param, body }) => {
      refuseFaults(body);
      const input = { actor, businessId, applicationId: param('applicationId'), update: body };
      const { application, propagation } = await updateApplication(deps, input);
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

/** A form shows every fault at once; what the domain throws is the first one. @throws InvalidInput */
function refuseFaults(settings: SettingsUpdate): void {
  const faults = findSettingsFaults(settings);
  if (Object.keys(faults).length > 0) throw new InvalidInput(faults);
}
