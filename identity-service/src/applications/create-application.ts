import { randomBytes } from 'node:crypto';
import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../audit/audit-event.ts';
import type { SecretHasher } from '../secrets/secret-hasher.ts';
import type { Application } from './application.ts';
import { checkRoomForApplication } from './application-limit.ts';
import type { ApplicationStore } from './application-store.ts';
import { type FindBusiness, whyUnverified } from './business-profile.ts';
import { checkSettings, type RequestedSettings } from './check-settings.ts';
import { createClientSecret } from './client-secret.ts';

export interface CreateApplicationDeps {
  readonly applications: ApplicationStore;
  readonly hasher: SecretHasher;
  readonly findBusiness: FindBusiness;
}

export interface CreateApplicationInput {
  readonly actor: Actor;
  readonly businessId: number;
  readonly settings: RequestedSettings;
}

/**
 * Registers an application of a verified business (contract 2.2, 5.1), at most three of them (contract 8). The client
 * secret is in this answer and nowhere else.
 * @throws AppError
 */
export async function createApplication(
  { applications, hasher, findBusiness }: CreateApplicationDeps,
  { actor, businessId, settings: requested }: CreateApplicationInput,
): Promise<{ readonly application: Application; readonly clientSecret: string }> {
  const settings = checkSettings(requested);
  await checkVerified(findBusiness, businessId, actor.requestId);
  const id = `apl_${randomBytes(12).toString('hex')}`;
  const clientId = `app_${randomBytes(16).toString('hex')}`;
  const { clientSecret, stored } = createClientSecret(hasher);
  const application = await applications.inTransaction(async (transaction) => {
    checkRoomForApplication(await transaction.lockCount(businessId));
    const created = await transaction.insert({ id, clientId, businessId, settings, secret: stored });
    const details = { clientId, ...settings, secret: { id: stored.id, lastFour: stored.lastFour } };
    await transaction.audit({ actor, businessId, action: 'application.created', subjectId: id, details });
    return created;
  });
  return { application, clientSecret };
}

async function checkVerified(find: FindBusiness, businessId: number, requestId: string): Promise<void> {
  const business = await find(businessId, requestId);
  if (business === undefined) throw new AppError('not_found', 'business_not_found', 'no such business');
  const reason = whyUnverified(business);
  if (reason !== undefined) throw new AppError('failed_precondition', 'business_not_verified', reason);
}
