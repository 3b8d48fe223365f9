import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { FindBusiness } from '../clients/business.ts';
import type { EmailContent, SendMail } from '../web/mail.ts';
import { type DueWarning, type Warning, warningEmail } from './warning.ts';
import type { WarningStore } from './warning-store.ts';

interface WarnOwnersDeps {
  readonly warnings: WarningStore;
  readonly sendMail: SendMail;
  readonly findBusiness: FindBusiness;
  /** Origin of the links in emails. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

/**
 * Emails each owner of the business, once for each step of a period. Resolves to whether nothing is left to send.
 * @throws AppError unavailable while business-service is: the email names the business
 */
export async function warnOwners(
  deps: WarnOwnersDeps,
  warning: Warning,
  requestId: string,
): Promise<boolean> {
  const { warnings, findBusiness, publicUrl } = deps;
  const business = await findBusiness(warning.businessId, requestId);
  if (business === undefined || !(await warnings.open(warning, requestId))) return true;
  const email = warningEmail({ ...warning, businessName: business.accountHolder, publicUrl });
  for (const due of await warnings.take(warning)) await sendWarning(deps, warning, due, email);
  return warnings.isDone(warning);
}

/** Sends one email. It is sent again when the process ends between its acceptance and `setSent`, with the same id. */
async function sendWarning(
  { warnings, sendMail, publicUrl, logger }: WarnOwnersDeps,
  warning: Warning,
  { personId, email: to }: DueWarning,
  email: EmailContent,
): Promise<void> {
  const { endpointId, since, step } = warning;
  const messageId = `<${endpointId}.${since}.${step}.${personId}@${new URL(publicUrl).hostname}>`;
  try {
    await sendMail({ to, ...email, messageId });
    await warnings.setSent(warning, personId);
  } catch (error) {
    logger.warn({ err: error, endpointId, step, personId }, 'warning not sent');
  }
}
