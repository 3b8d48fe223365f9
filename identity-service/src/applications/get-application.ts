import type { Application } from './application.ts';
import { applicationNotFound } from './application-not-found.ts';
import type { ApplicationReference } from './application-reference.ts';
import type { ApplicationStore } from './application-store.ts';

/** Reads one application of a business. @throws AppError not_found */
export async function getApplication(
  { applications }: { readonly applications: ApplicationStore },
  { businessId, applicationId }: ApplicationReference,
): Promise<Application> {
  const application = await applications.find(businessId, applicationId);
  if (application === undefined) throw applicationNotFound();
  return application;
}
