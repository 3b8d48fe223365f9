import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { SetBan } from '../../clients/business.ts';
import type { Actor, JsonObject } from '../../platform/actor.ts';
import type { Propagate, Propagation } from '../../platform/credential-generations.ts';
import { checkReason, maxOperatorReason } from '../../platform/reason.ts';
import { type ChosenCause, foreignActor, type SuspensionCause } from '../suspensions/suspension.ts';
import { type Application, type ApplicationChange, applicationNotFound } from './application.ts';
import type { ChangedApplication } from './operations.ts';
import type { ApplicationStore, ApplicationTransaction, ReadApplication } from './store.ts';

/*
 * While an application is suspended its access tokens are refused, and codes and refresh tokens stay unused. Each change
 * raises the generation of every connected business, so that gateways drop their cached authorizations before the response.
 */

export interface SuspendDeps {
  readonly applications: ApplicationStore;
  readonly propagate: Propagate;
}

interface SuspensionChange extends ApplicationChange {
  readonly cause: ChosenCause;
  /** Refuses a repetition, whose reason would be lost. */
  readonly mustChange?: boolean;
}

interface SuspendApplicationInput extends SuspensionChange {
  /** One line of at most 200 characters, of an operator 500, for the publisher; may be empty. */
  readonly reason: string;
}

/**
 * Suspends an application until `resumeApplication` with the same cause. Repeating it publishes the generations again, so
 * that a client that lost the first response learns whether gateways have confirmed.
 * @throws AppError invalid_argument, not_found
 */
export async function suspendApplication(
  deps: SuspendDeps,
  { actor, cause, reason: submitted, mustChange = false, ...reference }: SuspendApplicationInput,
): Promise<ChangedApplication> {
  const reason = checkReason(submitted, cause === 'operator' ? maxOperatorReason : undefined);
  return changeApplication(deps, reference, async (transaction, application) => {
    if (!(await transaction.suspendApplication(application.id, cause, actor.id, reason))) {
      return unchanged(mustChange, 'the app is already suspended');
    }
    return { actor, action: 'application.suspended', cause, reason };
  });
}

interface ResumeApplicationInput extends SuspensionChange {
  /** For the publisher. */
  readonly reason?: string;
}

/** Lifts the suspension of one cause; those of others stay. Without one, publishes the generations again. @throws AppError not_found */
export function resumeApplication(
  deps: SuspendDeps,
  { actor, cause, reason, mustChange = false, ...reference }: ResumeApplicationInput,
): Promise<ChangedApplication> {
  return changeApplication(deps, reference, async (transaction, application) =>
    (await transaction.resumeApplication(application.id, cause))
      ? { actor, action: 'application.resumed', cause, reason }
      : unchanged(mustChange, 'the app is not suspended for this cause'),
  );
}

/** The result of a repetition. @throws AppError suspension_unchanged */
function unchanged(mustChange: boolean, text: string): undefined {
  if (mustChange) throw new AppError('failed_precondition', 'suspension_unchanged', text);
}

/** A suspension or its end, for the audit logs of both sides. */
interface Change {
  readonly actor: Actor;
  readonly action: 'application.suspended' | 'application.resumed';
  readonly cause: SuspensionCause;
  readonly reason: string | undefined;
}

/** @param apply resolves to undefined when nothing changed */
async function changeApplication(
  { applications, propagate }: SuspendDeps,
  { businessId, applicationId }: Omit<ApplicationChange, 'actor'>,
  apply: (transaction: ApplicationTransaction, before: ReadApplication) => Promise<Change | undefined>,
): Promise<ChangedApplication> {
  const { application, raised } = await applications.inTransaction(async (transaction) => {
    const before = await transaction.lock(businessId, applicationId);
    if (before === undefined) throw applicationNotFound();
    const change = await apply(transaction, before);
    const connected = await auditBothSides(transaction, before, change);
    const after = (await transaction.lock(businessId, applicationId)) ?? before;
    return { application: after, raised: await transaction.raiseGenerations(connected) };
  });
  return { application, propagation: await propagate(raised) };
}

/** Records a change for the publisher and every connected business; resolves to those. */
async function auditBothSides(
  transaction: ApplicationTransaction,
  { id: subjectId, businessId, clientId, name }: Application,
  change: Change | undefined,
) {
  const connected = await transaction.lockGrants(subjectId);
  if (change === undefined) return connected;
  const { actor, action, cause, reason } = change;
  const details = { name, cause, reason: reason || undefined };
  await transaction.audit({ actor, businessId, action, subjectId, details });
  // Only the publisher may read the reason.
  const copy = { actor: foreignActor(actor, clientId), action, subjectId, details: { name, cause } };
  await transaction.auditConnected(copy, businessId, connected);
  return connected;
}

/** Those of these businesses that are banned. @throws AppError unavailable when business-service does not respond */
export type FindBanned = (businessIds: readonly number[], requestId: string) => Promise<ReadonlySet<number>>;

export interface SyncBanDeps extends SuspendDeps {
  readonly findBanned: FindBanned;
}

interface SyncBanInput {
  readonly actor: Actor;
  /** The publisher. */
  readonly businessId: number;
}

/**
 * Suspends the applications of a banned publisher, or resumes them when its ban was lifted. Reads the ban from
 * business-service while the publisher is locked, so that the last of several concurrent calls has the newest state.
 * @throws AppError unavailable
 */
export async function syncPublisherBan(
  { applications, propagate, findBanned }: SyncBanDeps,
  { actor, businessId }: SyncBanInput,
): Promise<Propagation> {
  const raised = await applications.inTransaction(async (transaction) => {
    await transaction.lockPublisher(businessId);
    const isBanned = (await findBanned([businessId], actor.requestId)).has(businessId);
    const isNews = await transaction.noteBan(businessId, isBanned);
    return recordBan(transaction, { actor, businessId, isBanned, isNews });
  });
  return propagate(raised);
}

export interface SetBanDeps extends SyncBanDeps {
  readonly setBan: SetBan;
}

interface SetBanInput extends SyncBanInput {
  readonly isBanned: boolean;
  /** For the owners. */
  readonly reason: string;
  /** For the log of operators. */
  readonly operatorDetails?: JsonObject;
}

/** Bans a publisher, or lifts its ban. @throws AppError as `changeBan` */
export async function setPublisherBan(deps: SetBanDeps, input: SetBanInput): Promise<Propagation> {
  const raised = await deps.applications.inTransaction((transaction) => changeBan(deps, transaction, input));
  return deps.propagate(raised);
}

/**
 * Bans a publisher, or lifts its ban, in a transaction whose generations are propagated after it. business-service makes the
 * change while the publisher is locked. The watch of bans, which knows neither operator nor reason, waits for that lock.
 * @throws AppError business_banned, business_not_banned, unavailable
 */
export async function changeBan(
  { findBanned, setBan }: Pick<SetBanDeps, 'findBanned' | 'setBan'>,
  transaction: ApplicationTransaction,
  input: SetBanInput,
) {
  const { actor, businessId, isBanned } = input;
  await transaction.lockPublisher(businessId);
  // Recording the action checks this as well, but only after business-service has made the change.
  await transaction.checkImpartial({
    actor,
    businessId,
    action: isBanned ? 'business.banned' : 'business.unbanned',
  });
  await checkBanChanges({ findBanned }, businessId, isBanned, actor.requestId);
  await setBan(businessId, isBanned, actor.requestId);
  await transaction.noteBan(businessId, isBanned);
  return recordBan(transaction, { ...input, isNews: true });
}

/** @throws AppError business_banned or business_not_banned if the state would not change; unavailable */
export async function checkBanChanges(
  { findBanned }: Pick<SetBanDeps, 'findBanned'>,
  businessId: number,
  isBanned: boolean,
  requestId: string,
): Promise<void> {
  if ((await findBanned([businessId], requestId)).has(businessId) !== isBanned) return;
  throw isBanned
    ? new AppError('failed_precondition', 'business_banned', 'the business is already banned')
    : new AppError('failed_precondition', 'business_not_banned', 'the business is not banned');
}

interface BanRecord extends Omit<SetBanInput, 'reason'> {
  readonly reason?: string;
  /** Whether the change was not recorded before. */
  readonly isNews: boolean;
}

/** Records a ban or its end for the publisher and every business that its applications are connected to. */
async function recordBan(
  transaction: ApplicationTransaction,
  { actor, businessId, isBanned, isNews, reason, operatorDetails = {} }: BanRecord,
) {
  if (isNews) {
    const action = isBanned ? 'business.banned' : 'business.unbanned';
    const subjectId = String(businessId);
    await transaction.audit({ actor, businessId, action, subjectId, details: { reason }, operatorDetails });
  }
  const action = isBanned ? 'application.suspended' : 'application.resumed';
  const change: Change | undefined = isNews ? { actor, action, cause: 'ban', reason: undefined } : undefined;
  const connected = [];
  for (const application of await transaction.lockAll(businessId)) {
    connected.push(...(await auditBothSides(transaction, application, change)));
  }
  return transaction.raiseGenerations(connected);
}
