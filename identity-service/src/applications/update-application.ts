import { propagateAll } from '../generations/propagate-all.ts';
import type { Application, ApplicationSettings } from './application.ts';
import { applicationNotFound } from './application-not-found.ts';
import type { ApplicationChange } from './application-reference.ts';
import type { ChangeApplicationDeps, ChangedApplication } from './changed-application.ts';
import { checkUpdate, type SettingsUpdate } from './check-update.ts';

export interface UpdateApplicationInput extends ApplicationChange {
  readonly update: SettingsUpdate;
}

/**
 * Changes settings. Naming scopes, whitelist or allowed origins raises the generations of all connected businesses even
 * when they stay the same: whoever repeats a change whose answer got lost has to hear whether gateways know.
 * @throws AppError
 */
export async function updateApplication(
  { applications, propagate }: ChangeApplicationDeps,
  { actor, businessId, applicationId, update }: UpdateApplicationInput,
): Promise<ChangedApplication> {
  const { application, raised } = await applications.inTransaction(async (transaction) => {
    const before = await transaction.lock(businessId, applicationId);
    if (before === undefined) throw applicationNotFound();
    const { settings, touchesAccess } = checkUpdate(before, update);
    const after = await transaction.setSettings(applicationId, settings);
    const details = { name: before.name, ...changedFields(before, settings) };
    const event = { actor, businessId, action: 'application.updated', subjectId: applicationId, details };
    await transaction.audit(event);
    const touched = touchesAccess ? await transaction.connectedBusinesses(applicationId) : [];
    return { application: after, raised: await transaction.raiseGenerations(touched) };
  });
  return { application, propagation: await propagateAll(propagate, raised) };
}

function changedFields(before: Application, after: ApplicationSettings): Record<string, unknown> {
  const fields = [
    'name',
    'description',
    'redirectUris',
    'scopes',
    'ipWhitelist',
    'webhooksEnabled',
    'webhookEvents',
    'allowedOrigins',
  ] as const;
  const changed = fields.filter((field) => String(before[field]) !== String(after[field]));
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
}
