import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import type { SandboxStore } from '../../businesses/sandboxes/store.ts';
import {
  type ChangeApiKeyDeps,
  changeApiKeyLimit,
  getApiKey,
} from '../../credentials/api-keys/operations.ts';
import { changeConnectedUserLimit, getApplication } from '../../credentials/applications/operations.ts';
import type { ApplicationStore } from '../../credentials/applications/store.ts';
import type { NotifyOperators } from '../../people/verification.ts';
import type { Actor } from '../../platform/actor.ts';
import type { RaisedGeneration } from '../../platform/credential-generations.ts';
import type { SendMail } from '../../web/mail.ts';
import { decisionEmail, requestedEmail } from './emails.ts';
import {
  checkPending,
  checkRaised,
  checkRequestedLimit,
  checkRequestReason,
  type LimitKind,
  type LimitRequest,
  limitRequestNotFound,
  type ReviewedRequest,
} from './limit-request.ts';
import type { LimitRequestStore, LimitRequestTransaction } from './store.ts';

export interface RequestLimitDeps {
  readonly sandboxes: Pick<SandboxStore, 'find'>;
  readonly limitRequests: LimitRequestStore;
  readonly keys: ChangeApiKeyDeps['keys'];
  readonly applications: ApplicationStore;
  readonly notifyOperators: NotifyOperators;
}

interface RequestLimitInput {
  /** An owner of the business. */
  readonly actor: Actor;
  readonly businessId: number;
  readonly kind: LimitKind;
  /** An application or an API key of the business. */
  readonly subjectId: string;
  readonly limit: number;
  readonly reason: string;
}

/**
 * Asks operators for a higher limit; one request of a kind at a time.
 * @throws AppError not_found, invalid_limit, invalid_reason, limit_request_pending
 */
export async function requestLimit(deps: RequestLimitDeps, input: RequestLimitInput): Promise<LimitRequest> {
  const { actor, businessId, kind, subjectId, limit } = input;
  const reason = checkRequestReason(input.reason);
  const subject = await findSubject(deps, input);
  if ((await deps.sandboxes.find(businessId)) !== undefined) {
    throw new AppError('failed_precondition', 'sandbox_limits', 'the limits of a sandbox cannot be raised');
  }
  checkRequestedLimit(kind, limit, subject.limit);
  const id = randomHexId('lrq');
  const { limitRequests } = deps;
  await limitRequests.inTransaction(async (transaction) => {
    const request = { id, businessId, kind, subjectId, requestedLimit: limit, reason, personId: actor.id };
    if (!(await transaction.add(request))) {
      const text = 'a request of this kind is already pending';
      throw new AppError('failed_precondition', 'limit_request_pending', text);
    }
    const details = { name: subject.name, kind, limit, reason };
    await transaction.audit({ actor, businessId, action: 'limit_request.created', subjectId: id, details });
  });
  const stored = await limitRequests.find(id);
  if (stored === undefined) throw limitRequestNotFound();
  deps.notifyOperators(requestedEmail(stored));
  return stored;
}

async function findSubject(
  { keys, applications }: Pick<RequestLimitDeps, 'keys' | 'applications'>,
  { businessId, kind, subjectId }: RequestLimitInput,
): Promise<{ readonly name: string; readonly limit: number }> {
  if (kind === 'rate_limit') {
    const { name, grantedLimit } = await getApiKey({ keys }, { businessId, apiKeyId: subjectId });
    return { name, limit: grantedLimit };
  }
  const reference = { businessId, applicationId: subjectId };
  const { name, connectedUserLimit } = await getApplication({ applications }, reference);
  return { name, limit: connectedUserLimit };
}

export interface DecideLimitDeps extends Pick<ChangeApiKeyDeps, 'propagate'> {
  readonly limitRequests: LimitRequestStore;
  readonly sendMail: SendMail;
  /** Origin of the links in emails. */
  readonly publicUrl: string;
  readonly logger: Logger;
}

interface Decided {
  readonly request: ReviewedRequest;
  /** Whether the email to the person who asked was accepted. */
  readonly notified: boolean;
}

interface DecideInput {
  /** An operator. */
  readonly actor: Actor;
  readonly id: string;
  /** For the person who asked. */
  readonly reason: string;
}

/**
 * Sets the limit and notifies the person who asked. Uses one transaction, so that a failure leaves the limit unchanged and
 * the request pending, and can be repeated. @param limit undefined for the requested limit
 * @throws AppError limit_request_not_found, limit_request_decided, invalid_limit for one that raises nothing, and what setting the limit throws
 */
export function grantLimitRequest(
  deps: DecideLimitDeps,
  { limit, ...input }: DecideInput & { readonly limit: number | undefined },
): Promise<Decided> {
  return decide(deps, input, async ({ keys, applications }, request) => {
    const grantedLimit = limit ?? request.requestedLimit;
    const { businessId, subjectId, personId } = request;
    const { actor, reason } = input;
    const change = { actor, businessId, limit: grantedLimit, reason, emailed: personId };
    if (request.kind === 'rate_limit') {
      checkRaised(grantedLimit, (await keys.lock(businessId, subjectId))?.grantedLimit);
      const { raised } = await changeApiKeyLimit(keys, { ...change, apiKeyId: subjectId });
      return { grantedLimit, raised: [raised] };
    }
    checkRaised(grantedLimit, (await applications.lock(businessId, subjectId))?.connectedUserLimit);
    await changeConnectedUserLimit(applications, { ...change, applicationId: subjectId });
    return { grantedLimit, raised: [] };
  });
}

/** Leaves the limit as it is, and notifies the person who asked. @throws AppError invalid_reason for none, and as above */
export function declineLimitRequest(deps: DecideLimitDeps, input: DecideInput): Promise<Decided> {
  const reason = checkRequestReason(input.reason);
  return decide(deps, { ...input, reason }, async () => ({ grantedLimit: null, raised: [] }));
}

interface Settled {
  /** The limit that was set; null for none. */
  readonly grantedLimit: number | null;
  /** To be propagated after the commit. */
  readonly raised: readonly RaisedGeneration[];
}

async function decide(
  deps: DecideLimitDeps,
  { actor, id, reason }: DecideInput,
  settle: (transaction: LimitRequestTransaction, request: LimitRequest) => Promise<Settled>,
): Promise<Decided> {
  const { limitRequests, propagate } = deps;
  const raised = await limitRequests.inTransaction(async (transaction) => {
    const request = await transaction.lock(id);
    if (request === undefined) throw limitRequestNotFound();
    checkPending(request);
    const { grantedLimit, raised } = await settle(transaction, request);
    const status = grantedLimit === null ? 'declined' : 'granted';
    await transaction.decide(id, { status, grantedLimit, decisionReason: reason });
    const { businessId, kind, subjectId, subjectName, personId } = request;
    const details = { name: subjectName, kind, limit: grantedLimit ?? request.requestedLimit, reason };
    const action = grantedLimit === null ? 'limit_request.declined' : 'limit_request.granted';
    const event = { actor, businessId, action, subjectId: id, details, noticeDetails: { subjectId } };
    await transaction.audit({ ...event, emailed: personId });
    return raised;
  });
  await propagate(raised);
  const request = await limitRequests.find(id);
  if (request === undefined) throw limitRequestNotFound();
  return { request, notified: await notify(deps, request) };
}

async function notify(
  { sendMail, publicUrl, logger }: DecideLimitDeps,
  request: ReviewedRequest,
): Promise<boolean> {
  const { email: to, id } = request;
  if (to === undefined) return false;
  const messageId = `<${id}@${new URL(publicUrl).hostname}>`;
  try {
    await sendMail({ to, ...decisionEmail(request, publicUrl), messageId });
    return true;
  } catch (error) {
    logger.warn({ err: error, limitRequestId: id }, 'decision not sent');
    return false;
  }
}
