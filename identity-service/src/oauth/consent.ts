import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { randomHexId } from '@platform/service-kit/values/ids.ts';
import { type BusinessProfile, type FindBusiness, whyUnverified } from '../clients/business.ts';
import { type Application, hasRoom } from '../credentials/applications/application.ts';
import { matchesRedirectUri } from '../credentials/applications/redirect-uri.ts';
import type { ReadApplication } from '../credentials/applications/store.ts';
import { connectedEvent } from '../credentials/grants/connection-event.ts';
import type { Suspended } from '../credentials/suspensions/suspension.ts';
import type { Actor } from '../platform/actor.ts';
import type { Membership } from '../platform/membership.ts';
import { type ApiScopes, knownScopes } from '../platform/scope.ts';
import type { SecretHasher } from '../platform/secrets.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationStore, AuthorizationTransaction, LiveGrant } from './authorization-store.ts';
import { approvedAsOf, changesSinceApproval, type Presentation } from './presentation.ts';

interface DecideAuthorizationDeps {
  readonly store: AuthorizationStore;
  readonly findBusiness: FindBusiness;
}

interface DecideAuthorizationInput {
  readonly application: ReadApplication;
  readonly request: AuthorizationRequest;
  /** The application as it is now. */
  readonly presentation: Presentation;
  /** Whether the person must decide even if an earlier approval covers the request. */
  readonly mustAsk: boolean;
  readonly personId: string;
  readonly requestId: string;
}

/** A business that may be connected, with what it has approved so far. */
export interface Candidate {
  readonly business: BusinessProfile;
  readonly approved: readonly string[];
  /** Sentences about what is new since then. */
  readonly changes: readonly string[];
  /** Whether that approval covers the request. */
  readonly isCovered: boolean;
}

/** Decision about the authorization request of a person. */
export type Decision =
  /** This person cannot approve it; the reason is public. */
  | { readonly kind: 'denied'; readonly reason: string }
  /** Every business that could approve has suspended its connection. */
  | { readonly kind: 'suspended' }
  /** Every business of the person requires a second factor, which the person lacks. */
  | { readonly kind: 'second_factor_missing' }
  /** The person's only business approved every scope before, and the application has not changed since. */
  | { readonly kind: 'covered'; readonly businessId: number }
  | {
      readonly kind: 'ask';
      readonly candidates: readonly [Candidate, ...Candidate[]];
      /** Whether other businesses of the person require a second factor, which the person lacks. */
      readonly lacksSecondFactor: boolean;
    };

/** Finds the businesses for which a person may approve a request (contract 5.1, 8). @throws AppError unavailable */
export async function decideAuthorization(
  { store, findBusiness }: DecideAuthorizationDeps,
  { application, request, presentation, mustAsk, personId, requestId }: DecideAuthorizationInput,
): Promise<Decision> {
  const all = await store.ownedBusinesses(personId);
  if (all.length === 0) return denied('this person owns no business');
  const memberships = all.filter((each) => isInReach(application, each));
  if (memberships.length === 0) return denied(outOfReach(application));
  const owned = memberships.filter((each) => !each.lacksSecondFactor).map(({ businessId }) => businessId);
  if (owned.length === 0) return { kind: 'second_factor_missing' };
  const lacksSecondFactor = owned.length < memberships.length;
  const found = await Promise.all(owned.map((id) => findBusiness(id, requestId)));
  const businesses = found.filter((business) => business !== undefined);
  const verified = businesses.filter((business) => whyUnverified(business) === undefined);
  if (verified.length === 0) {
    const [reason] = businesses.map(whyUnverified);
    return denied(reason ?? 'the business does not exist');
  }
  const grants = await store.liveGrants(application.id, owned);
  const suspended = grants.filter((grant) => grant.isSuspended).map((grant) => grant.businessId);
  const open = verified.filter(({ id }) => !suspended.includes(id));
  if (open.length === 0) return { kind: 'suspended' };
  const candidates = open.flatMap((business): Candidate[] => {
    const grant = grants.find(({ businessId }) => businessId === business.id);
    if (grant === undefined && !hasRoom(application)) return [];
    return [{ business, ...approvalBefore(grant, presentation, request) }];
  });
  const [only, ...others] = candidates;
  if (only === undefined) return denied(limitReached);
  // An earlier approval counts silently only if the person has no other business to choose.
  if (verified.length === 1 && !lacksSecondFactor && !mustAsk && only.isCovered) {
    return { kind: 'covered', businessId: only.business.id };
  }
  return { kind: 'ask', candidates: [only, ...others], lacksSecondFactor };
}

/** Whether a business may connect the application: a sandbox only with those of sandboxes of the same person, and vice versa. */
function isInReach(application: ReadApplication, business: Membership): boolean {
  return application.sandboxOf === business.sandboxOf;
}

function outOfReach({ sandboxOf }: ReadApplication): string {
  return sandboxOf === undefined
    ? 'a sandbox connects only with apps of sandboxes of the same person'
    : 'an app of a sandbox connects only with sandboxes of the same person';
}

/** Contract 8. */
const limitReached = 'the application has reached its limit of connected users';

/** Compares a request with an earlier approval, which covers its scopes as long as the application has not changed. */
function approvalBefore(
  grant: LiveGrant | undefined,
  presentation: Presentation,
  { scopes, redirectUri }: AuthorizationRequest,
): Omit<Candidate, 'business'> {
  const approved = grant?.scopes ?? [];
  if (grant?.approvedAs === undefined) return { approved, changes: [], isCovered: false };
  const changes = changesSinceApproval(grant.approvedAs, presentation, redirectUri);
  return { approved, changes, isCovered: changes.length === 0 && covers(approved, scopes) };
}

function covers(approved: readonly string[], requested: readonly string[]): boolean {
  return requested.every((scope) => approved.includes(scope));
}

function denied(reason: string): Decision {
  return { kind: 'denied', reason };
}

interface ApproveAuthorizationDeps {
  readonly store: AuthorizationStore;
  readonly apiScopes: ApiScopes;
  readonly hasher: Pick<SecretHasher, 'hash'>;
  readonly codeLifetimeSeconds: number;
}

interface ApproveAuthorizationInput {
  readonly actor: Actor;
  readonly personId: string;
  readonly businessId: number;
  readonly request: AuthorizationRequest;
  /** The application as the person read it, or its current state without a consent page. */
  readonly presentation: Presentation;
  /** Id of the consent; undefined without a consent page, which requires an earlier approval. */
  readonly consentId: string | undefined;
}

/** Result of an approval. */
export type Approval =
  | { readonly kind: 'approved'; readonly code: string }
  | { readonly kind: 'denied'; readonly reason: string }
  /** The application or its connection was suspended meanwhile. */
  | { readonly kind: 'suspended'; readonly what: Suspended }
  /** The business requires a second factor, which the person lacks. */
  | { readonly kind: 'second_factor_missing' }
  /** The application is not what the person read. */
  | { readonly kind: 'changed' }
  /** Submitted before, or the application, its owner or the Grant changed meanwhile. */
  | { readonly kind: 'stale' };

/**
 * Approves a request: creates or widens the Grant and issues a code, in one transaction that locks the application, so
 * that concurrent approvals never exceed its limit of connected users.
 */
export async function approveAuthorization(
  { store, apiScopes, hasher, codeLifetimeSeconds }: ApproveAuthorizationDeps,
  input: ApproveAuthorizationInput,
): Promise<Approval> {
  const { request, consentId, personId, businessId } = input;
  const code = createCheckedToken('ac');
  return store.inTransaction(async (transaction): Promise<Approval> => {
    if (consentId !== undefined && !(await transaction.closeConsent(consentId))) return stale;
    // The membership is locked first, in the same order as changes of a team.
    const ownership = await transaction.findOwnership(personId, businessId);
    const application = await transaction.lockApplication(request.applicationId);
    if (application === undefined) return stale;
    const obstacle = obstacleOf(apiScopes, application, input);
    if (obstacle !== undefined) return obstacle;
    if (ownership === undefined || !isInReach(application, ownership)) return stale;
    if (ownership.lacksSecondFactor) return { kind: 'second_factor_missing' };
    const grantId = await grantApproval(transaction, application, input);
    if (typeof grantId !== 'string') return grantId;
    const { redirectUri, codeChallenge, scopes } = request;
    await transaction.insertCode({
      hash: hasher.hash(code),
      grantId,
      redirectUri,
      codeChallenge,
      scopes,
      expiresAt: application.readAt + codeLifetimeSeconds * 1000,
    });
    return { kind: 'approved', code };
  });
}

/** Reason why the application cannot be approved as the person read it; undefined when it can. */
function obstacleOf(
  apiScopes: ApiScopes,
  application: Application,
  { request, presentation }: Pick<ApproveAuthorizationInput, 'request' | 'presentation'>,
): Approval | undefined {
  if (!stillAllows(apiScopes, application, request)) return stale;
  if (application.suspensions.length > 0) return { kind: 'suspended', what: 'application' };
  const { name, description } = presentation;
  const isSame = application.name === name && application.description === description;
  return isSame ? undefined : { kind: 'changed' };
}

const stale: Approval = { kind: 'stale' };

/** Creates or widens the Grant; resolves to its id, or to the reason why there is none. */
async function grantApproval(
  transaction: AuthorizationTransaction,
  application: ReadApplication,
  { actor, personId, businessId, request, presentation, consentId }: ApproveAuthorizationInput,
): Promise<string | Approval> {
  const { scopes, applicationId, redirectUri } = request;
  const grant = await transaction.findLiveGrant(applicationId, businessId);
  if (grant?.isSuspended) return { kind: 'suspended', what: 'connection' };
  const before = grant?.approvedAs?.hosts ?? [];
  const approvedAs = approvedAsOf(presentation, redirectUri, {
    registered: application.redirectUris,
    before,
  });
  if (grant === undefined) {
    if (consentId === undefined) return stale;
    if (!hasRoom(application)) return { kind: 'denied', reason: limitReached };
    const id = randomHexId('grt');
    const createdAt = await transaction.insertGrant({
      id,
      applicationId,
      businessId,
      personId,
      scopes,
      approvedAs,
    });
    const { clientId, name: applicationName } = application;
    const connection = { id, businessId, applicationId, clientId, applicationName, scopes, createdAt };
    await transaction.insertEvent(connectedEvent(connection));
    const details = { applicationId, name: applicationName, scopes };
    await transaction.audit({ actor, businessId, action: 'grant.created', subjectId: id, details });
    return id;
  }
  if (consentId === undefined) {
    return approvalBefore(grant, presentation, request).isCovered ? grant.id : stale;
  }
  const widened = [...new Set([...grant.scopes, ...scopes])].sort();
  const approvedAt = application.readAt;
  await transaction.approveAgain(grant.id, { approvedAt, personId, scopes: widened, approvedAs });
  const { name } = application;
  const details = { applicationId, name, scopes: { from: grant.scopes, to: widened } };
  await transaction.audit({
    actor,
    businessId,
    action: 'grant.approved_again',
    subjectId: grant.id,
    details,
  });
  return grant.id;
}

/** Whether the application, which may have changed since the page was shown, and the API still allow the request. */
export function stillAllows(
  apiScopes: ApiScopes,
  application: Application,
  { redirectUri, scopes }: AuthorizationRequest,
): boolean {
  return (
    application.redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri)) &&
    covers(knownScopes(apiScopes, application.scopes), scopes)
  );
}

/** Records that a consent was denied: `denied` where the application may still learn of it. */
export function denyAuthorization(
  { store, apiScopes }: Pick<ApproveAuthorizationDeps, 'store' | 'apiScopes'>,
  consentId: string,
  request: AuthorizationRequest,
): Promise<Approval> {
  return store.inTransaction(async (transaction): Promise<Approval> => {
    if (!(await transaction.closeConsent(consentId))) return stale;
    const application = await transaction.lockApplication(request.applicationId);
    if (application === undefined || !stillAllows(apiScopes, application, request)) return stale;
    if (application.suspensions.length > 0) return { kind: 'suspended', what: 'application' };
    return { kind: 'denied', reason: 'the request was denied' };
  });
}
