import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import { type FindBusiness, whyUnverified } from '../../clients/business.ts';
import { type Actor, type JsonObject, personOf } from '../../platform/actor.ts';
import type { Propagate, Propagation } from '../../platform/credential-generations.ts';
import type { ApiScopes } from '../../platform/scope.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import { disconnectedEvent } from '../grants/connection-event.ts';
import { foreignActor } from '../suspensions/suspension.ts';
import {
  type Application,
  type ApplicationChange,
  type ApplicationReference,
  applicationNotFound,
  checkConnectedUserLimit,
  checkRoomForApplication,
  type NewClientSecret,
} from './application.ts';
import {
  type AllowedUpdate,
  checkSettings,
  checkUpdate,
  type RequestedSettings,
  type SettingsChange,
  type SettingsUpdate,
  settingNames,
} from './settings.ts';
import type { ApplicationStore, ApplicationTransaction } from './store.ts';

/** A new client secret: the string to show once, and what is kept of it. */
function createClientSecret(
  hasher: Pick<SecretHasher, 'hash'>,
  actor: Actor,
): { readonly clientSecret: string; readonly stored: NewClientSecret } {
  const clientSecret = createCheckedToken('cs');
  const id = randomHexId('sec');
  const lastFour = clientSecret.slice(-4);
  return {
    clientSecret,
    stored: { id, hash: hasher.hash(clientSecret), lastFour, createdBy: personOf(actor) },
  };
}

export interface CreateApplicationDeps {
  readonly applications: ApplicationStore;
  readonly apiScopes: ApiScopes;
  readonly hasher: SecretHasher;
  readonly findBusiness: FindBusiness;
}

interface CreateApplicationInput {
  readonly actor: Actor;
  readonly businessId: number;
  readonly settings: RequestedSettings;
}

/**
 * Registers an application of a verified business (contract 2.2, 5.1), at most three of them (contract 8). The client
 * secret is returned only here.
 * @throws AppError
 */
export async function createApplication(
  { applications, apiScopes, hasher, findBusiness }: CreateApplicationDeps,
  { actor, businessId, settings: requested }: CreateApplicationInput,
): Promise<{ readonly application: Application; readonly clientSecret: string }> {
  const settings = checkSettings(apiScopes, requested);
  await checkVerified(findBusiness, businessId, actor.requestId);
  const id = randomHexId('apl');
  const clientId = randomHexId('app', 16);
  const { clientSecret, stored } = createClientSecret(hasher, actor);
  const application = await applications.inTransaction(async (transaction) => {
    // Locks the role, so that a concurrent deletion of the only owner's account cannot miss the new application.
    await transaction.lockActingRole(actor, businessId);
    checkRoomForApplication(await transaction.lockCount(businessId));
    const created = await transaction.insert({ id, clientId, businessId, settings, secret: stored });
    await transaction.noteMakers(actor, noEntries, created);
    const details = { clientId, ...settings, secret: { id: stored.id, lastFour: stored.lastFour } };
    await transaction.audit({ actor, businessId, action: 'application.created', subjectId: id, details });
    return created;
  });
  return { application, clientSecret };
}

/** Before a registration. */
const noEntries = { redirectUris: [], ipWhitelist: [], allowedOrigins: [] };

async function checkVerified(find: FindBusiness, businessId: number, requestId: string): Promise<void> {
  const business = await find(businessId, requestId);
  if (business === undefined) throw new AppError('not_found', 'business_not_found', 'no such business');
  const reason = whyUnverified(business);
  if (reason !== undefined) throw new AppError('failed_precondition', 'business_not_verified', reason);
}

interface ChangeApplicationDeps {
  readonly applications: ApplicationStore;
  readonly propagate: Propagate;
}

/** An application after a change, and whether every gateway knows. */
export interface ChangedApplication {
  readonly application: Application;
  readonly propagation: Propagation;
}

/** Grants that one transaction ends. With thousands, it could exceed its time limit on a busy database. */
const endedAtOnce = 500;

/**
 * Deletes an application with its Grants, codes and tokens. A deletion that fails may have ended some of the Grants; a
 * repetition continues from there.
 * @throws AppError not_found
 */
export async function deleteApplication(
  { applications, propagate }: ChangeApplicationDeps,
  change: ApplicationChange,
): Promise<Propagation> {
  let propagation: Propagation = 'confirmed';
  for (;;) {
    const { raised, isDeleted } = await applications.inTransaction((transaction) =>
      deleteInPart(transaction, change),
    );
    if ((await propagate(raised)) === 'pending') propagation = 'pending';
    if (isDeleted) return propagation;
  }
}

/** Ends some Grants, and deletes the application with the last of them. */
async function deleteInPart(
  transaction: ApplicationTransaction,
  { actor, businessId, applicationId }: ApplicationChange,
) {
  const application = await transaction.lock(businessId, applicationId);
  if (application === undefined) throw applicationNotFound();
  const connected = await transaction.lockGrants(applicationId, endedAtOnce);
  const isDeleted = connected.length < endedAtOnce;
  await transaction.endGrants(connected);
  const { name, clientId, readAt } = application;
  const details = { name, clientId };
  const event = { actor, action: 'application.deleted', subjectId: applicationId, details };
  if (isDeleted) {
    await transaction.remove(applicationId);
    await transaction.audit({ ...event, businessId });
  }
  const copy = { ...event, actor: foreignActor(actor, clientId) };
  await transaction.auditConnected(copy, businessId, connected);
  const connections = connected.map((grant) => ({
    ...grant,
    applicationId,
    clientId,
    applicationName: name,
  }));
  await transaction.insertEvents(
    connections.map((connection) => disconnectedEvent(connection, 'application_deleted', readAt)),
  );
  return { isDeleted, raised: await transaction.raiseGenerations(connected) };
}

/** Reads one application of a business. @throws AppError not_found */
export async function getApplication(
  { applications }: { readonly applications: ApplicationStore },
  { businessId, applicationId }: ApplicationReference,
): Promise<Application> {
  const application = await applications.find(businessId, applicationId);
  if (application === undefined) throw applicationNotFound();
  return application;
}

interface UpdateApplicationInput extends ApplicationChange {
  /** The settings to change, or what makes them of the locked application. */
  readonly update: SettingsUpdate | ((before: Application) => SettingsUpdate);
}

/**
 * Changes settings. A change that names scopes, whitelist or allowed origins raises the generations of all connected
 * businesses, even with equal values: a retry after a lost response has to report propagation.
 * @throws AppError
 */
export function updateApplication(
  deps: ChangeApplicationDeps & { readonly apiScopes: ApiScopes },
  { update, ...reference }: UpdateApplicationInput,
): Promise<ChangedApplication> {
  return changeSettings(deps, reference, (before) =>
    checkUpdate(deps.apiScopes, before, typeof update === 'function' ? update(before) : update),
  );
}

interface RestoreSettingsInput extends ApplicationChange {
  readonly recorded: SettingsChange;
}

/** Sets what an earlier update has set, even if a newer rule would refuse it. @throws AppError not_found */
export function restoreSettings(
  deps: ChangeApplicationDeps,
  { recorded, ...reference }: RestoreSettingsInput,
): Promise<ChangedApplication> {
  return changeSettings(deps, reference, () => ({ change: recorded, touchesAccess: true }));
}

async function changeSettings(
  { applications, propagate }: ChangeApplicationDeps,
  { actor, businessId, applicationId }: ApplicationChange,
  allow: (before: Application) => AllowedUpdate,
): Promise<ChangedApplication> {
  const { application, raised } = await applications.inTransaction(async (transaction) => {
    await transaction.lockActingRole(actor, businessId);
    const before = await transaction.lock(businessId, applicationId);
    if (before === undefined) throw applicationNotFound();
    const { change, touchesAccess } = allow(before);
    const after = await transaction.setSettings(before, change);
    await transaction.noteMakers(actor, before, after);
    const details = { name: before.name, ...changedFields(before, after) };
    const event = { actor, businessId, action: 'application.updated', subjectId: applicationId, details };
    await transaction.audit(event);
    const touched = touchesAccess ? await transaction.lockGrants(applicationId) : [];
    return { application: after, raised: await transaction.raiseGenerations(touched) };
  });
  return { application, propagation: await propagate(raised) };
}

/** Settings that differ, before and after. */
export function changedFields(before: Application, after: Application): JsonObject {
  const changed = settingNames.filter((field) => String(before[field]) !== String(after[field]));
  return Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }]));
}

interface SetConnectedUserLimitInput extends ApplicationChange {
  readonly limit: number;
  /** For the owners, who read it in the notice. */
  readonly reason?: string;
  /** The person who gets an email of its own about it. */
  readonly emailed?: string;
}

/** Sets the limit of connected users (contract 8). Existing connections stay. @throws AppError */
export function setConnectedUserLimit(
  { applications }: { readonly applications: ApplicationStore },
  input: SetConnectedUserLimitInput,
): Promise<Application> {
  return applications.inTransaction((transaction) => changeConnectedUserLimit(transaction, input));
}

/** The same in a transaction of another change. @throws AppError */
export async function changeConnectedUserLimit(
  transaction: ApplicationTransaction,
  { actor, businessId, applicationId, limit, reason, emailed }: SetConnectedUserLimitInput,
): Promise<Application> {
  checkConnectedUserLimit(limit);
  const before = await transaction.lock(businessId, applicationId);
  if (before === undefined) throw applicationNotFound();
  const after = await transaction.setConnectedUserLimit(before, limit);
  const details = { name: before.name, limit: { from: before.connectedUserLimit, to: limit }, reason };
  const event = { actor, businessId, action: 'application.limit_set', subjectId: applicationId, details };
  await transaction.audit({ ...event, emailed });
  return after;
}

const maxSecrets = 2;

export interface RotateClientSecretDeps extends ChangeApplicationDeps {
  readonly hasher: SecretHasher;
}

interface RotateClientSecretInput extends ApplicationChange {
  /** Whether the existing secret stays valid beside the new one, so that it can be replaced without an outage. */
  readonly keepOld: boolean;
}

/**
 * Creates a new client secret. Unless the existing one is kept, all old secrets end at once. So do all access tokens, since
 * they may have been issued to a thief with an old secret. Connections stay; refresh tokens are of no use without the new
 * secret.
 * @throws AppError
 */
export async function rotateClientSecret(
  { applications, hasher, propagate }: RotateClientSecretDeps,
  { actor, businessId, applicationId, keepOld }: RotateClientSecretInput,
): Promise<ChangedApplication & { readonly clientSecret: string }> {
  const { clientSecret, stored } = createClientSecret(hasher, actor);
  const { application, raised } = await applications.inTransaction(async (transaction) => {
    await transaction.lockActingRole(actor, businessId);
    const before = await transaction.lock(businessId, applicationId);
    if (before === undefined) throw applicationNotFound();
    const ended = keepOld ? [] : before.secrets.map(({ id }) => id);
    checkRoomForSecret(before.secrets.length - ended.length);
    const remaining = await transaction.removeSecrets(before, ended);
    const after = await transaction.addSecret(remaining, stored);
    const added = { id: stored.id, lastFour: stored.lastFour };
    const details = { name: before.name, added, ended };
    const event = {
      actor,
      businessId,
      action: 'application.secret_rotated',
      subjectId: applicationId,
      details,
    };
    await transaction.audit(event);
    const touched = keepOld ? [] : await transaction.lockGrants(applicationId);
    if (!keepOld) await transaction.revokeAccessTokens(applicationId);
    return { application: after, raised: await transaction.raiseGenerations(touched) };
  });
  return { application, clientSecret, propagation: await propagate(raised) };
}

function checkRoomForSecret(remaining: number): void {
  if (remaining >= maxSecrets) {
    throw new AppError(
      'failed_precondition',
      'client_secret_limit_reached',
      `an app has at most ${maxSecrets} client secrets: delete one first`,
    );
  }
}

interface DeleteClientSecretInput extends ApplicationChange {
  readonly clientSecretId: string;
}

/** Ends one client secret at once. @throws AppError not_found */
export async function deleteClientSecret(
  { applications, propagate }: ChangeApplicationDeps,
  { actor, businessId, applicationId, clientSecretId }: DeleteClientSecretInput,
): Promise<ChangedApplication> {
  const { application, raised } = await applications.inTransaction(async (transaction) => {
    const before = await transaction.lock(businessId, applicationId);
    if (before === undefined) throw applicationNotFound();
    const secret = before.secrets.find(({ id }) => id === clientSecretId);
    if (secret === undefined) {
      throw new AppError('not_found', 'client_secret_not_found', 'no such client secret');
    }
    const after = await transaction.removeSecrets(before, [clientSecretId]);
    const details = { name: before.name, id: secret.id, lastFour: secret.lastFour };
    const event = {
      actor,
      businessId,
      action: 'application.secret_deleted',
      subjectId: applicationId,
      details,
    };
    await transaction.audit(event);
    const touched = await transaction.lockGrants(applicationId);
    return { application: after, raised: await transaction.raiseGenerations(touched) };
  });
  return { application, propagation: await propagate(raised) };
}
