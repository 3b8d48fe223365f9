import { randomBytes } from 'node:crypto';
import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import { z } from 'zod';
import { type Application, hasRoom } from '../applications/application.ts';
import { matchesRedirectUri } from '../applications/redirect-uri.ts';
import type { Actor } from '../platform/actor.ts';
import { type BusinessProfile, type FindBusiness, whyUnverified } from '../platform/businesses.ts';
import { type Scope, scopes } from '../platform/scope.ts';
import type { Sealer, SecretHasher } from '../platform/secrets.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationStore, AuthorizationTransaction } from './authorization-store.ts';

interface DecideAuthorizationDeps {
  readonly store: AuthorizationStore;
  readonly findBusiness: FindBusiness;
}

interface DecideAuthorizationInput {
  readonly application: Application;
  readonly request: AuthorizationRequest;
  readonly personId: string;
  readonly requestId: string;
}

/** A business that may be connected, and what it has approved so far. */
export interface Candidate {
  readonly business: BusinessProfile;
  readonly approved: readonly Scope[];
}

/** What becomes of a request of somebody who is logged in. */
export type Decision =
  /** Nobody can approve it; the reason is for the application's developer, too. */
  | { readonly kind: 'denied'; readonly reason: string }
  /** Everything was approved before by the one business that there is. */
  | { readonly kind: 'covered'; readonly businessId: number }
  | { readonly kind: 'ask'; readonly candidates: readonly [Candidate, ...Candidate[]] };

/** Finds the businesses that a person may approve a request for (contract 5.1, 8). @throws AppError unavailable */
export async function decideAuthorization(
  { store, findBusiness }: DecideAuthorizationDeps,
  { application, request, personId, requestId }: DecideAuthorizationInput,
): Promise<Decision> {
  const owned = await store.ownedBusinesses(personId);
  if (owned.length === 0) return denied('this person is not the owner of a business');
  const found = await Promise.all(owned.map((id) => findBusiness(id, requestId)));
  const businesses = found.filter((business) => business !== undefined);
  const verified = businesses.filter((business) => whyUnverified(business) === undefined);
  if (verified.length === 0) {
    const [reason] = businesses.map(whyUnverified);
    return denied(reason ?? 'there is no such business');
  }
  const grants = await store.liveGrants(application.id, owned);
  const candidates = verified.flatMap((business): Candidate[] => {
    const grant = grants.find(({ businessId }) => businessId === business.id);
    return grant || hasRoom(application) ? [{ business, approved: grant?.scopes ?? [] }] : [];
  });
  const [only, ...others] = candidates;
  if (only === undefined) return denied(limitReached);
  if (others.length === 0 && covers(only.approved, request.scopes)) {
    return { kind: 'covered', businessId: only.business.id };
  }
  return { kind: 'ask', candidates: [only, ...others] };
}

/** Why nobody else can connect (contract 8). */
const limitReached = 'the application has reached its number of connected users';

/** Whether everything that is asked for was approved before. */
function covers(approved: readonly Scope[], requested: readonly Scope[]): boolean {
  return requested.every((scope) => approved.includes(scope));
}

function denied(reason: string): Decision {
  return { kind: 'denied', reason };
}

interface ApproveAuthorizationDeps {
  readonly store: AuthorizationStore;
  readonly hasher: Pick<SecretHasher, 'hash'>;
  readonly codeLifetimeSeconds: number;
}

interface ApproveAuthorizationInput {
  readonly actor: Actor;
  readonly personId: string;
  readonly businessId: number;
  readonly request: AuthorizationRequest;
  /** The consent that is answered; absent when nobody was asked, which only an earlier approval allows. */
  readonly consentId: string | undefined;
}

/** What an approval led to. */
export type Approval =
  | { readonly kind: 'approved'; readonly code: string }
  | { readonly kind: 'denied'; readonly reason: string }
  /** Answered before, or no longer what was asked: the application, its owner or the Grant changed meanwhile. */
  | { readonly kind: 'stale' };

/**
 * Approves a request: creates or widens the Grant and issues a code, in one transaction that holds the application, so
 * that parallel approvals never exceed its number of connected users.
 */
export async function approveAuthorization(
  { store, hasher, codeLifetimeSeconds }: ApproveAuthorizationDeps,
  input: ApproveAuthorizationInput,
): Promise<Approval> {
  const { request, consentId, personId, businessId } = input;
  const code = createCheckedToken('ac');
  return store.inTransaction(async (transaction): Promise<Approval> => {
    if (consentId !== undefined && !(await transaction.answerConsent(consentId))) return stale;
    const application = await transaction.lockApplication(request.applicationId);
    if (application === undefined || !stillAllows(application, request)) return stale;
    if (!(await transaction.isOwner(personId, businessId))) return stale;
    const grantId = await grantApproval(transaction, application, input);
    if (typeof grantId !== 'string') return grantId;
    const { redirectUri, codeChallenge, scopes } = request;
    await transaction.insertCode({
      hash: hasher.hash(code),
      grantId,
      redirectUri,
      codeChallenge,
      scopes,
      lifetimeSeconds: codeLifetimeSeconds,
    });
    return { kind: 'approved', code };
  });
}

const stale: Approval = { kind: 'stale' };

/** The Grant of the business, made or widened; or why there is none. */
async function grantApproval(
  transaction: AuthorizationTransaction,
  application: Application,
  { actor, personId, businessId, request, consentId }: ApproveAuthorizationInput,
): Promise<string | Approval> {
  const { scopes, applicationId } = request;
  const grant = await transaction.findLiveGrant(applicationId, businessId);
  if (grant === undefined) {
    if (consentId === undefined) return stale;
    if (!hasRoom(application)) return { kind: 'denied', reason: limitReached };
    const id = `grt_${randomBytes(12).toString('hex')}`;
    await transaction.insertGrant({ id, applicationId, businessId, personId, scopes });
    const details = { applicationId, name: application.name, scopes };
    await transaction.audit({ actor, businessId, action: 'grant.created', subjectId: id, details });
    return id;
  }
  if (consentId === undefined) return covers(grant.scopes, scopes) ? grant.id : stale;
  const widened = [...new Set([...grant.scopes, ...scopes])].sort();
  await transaction.approveAgain(grant.id, personId, widened);
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

/** Whether the application may still ask for this: it may have changed since the page was shown. */
function stillAllows(application: Application, { redirectUri, scopes }: AuthorizationRequest): boolean {
  return (
    application.redirectUris.some((registered) => matchesRedirectUri(registered, redirectUri)) &&
    covers(application.scopes, scopes)
  );
}

const ticketSchema = z.object({
  /** Of this one page: it is answered once. */
  id: z.string(),
  request: z.object({
    applicationId: z.string(),
    redirectUri: z.string(),
    state: z.string(),
    codeChallenge: z.string(),
    scopes: z.array(z.enum(scopes)),
  }),
  /** Businesses that were offered. */
  businessIds: z.array(z.int()),
});

/** What a consent page asked, for its form: sealed, so that nothing of it can be changed or made up. */
type ConsentTicket = z.output<typeof ticketSchema>;

/** Whom a page was shown to. */
interface Viewer {
  readonly sessionId: string;
  readonly personId: string;
}

/** The ticket as a form field. It opens for the viewer alone. */
export function sealTicket(sealer: Sealer, ticket: ConsentTicket, viewer: Viewer): string {
  return sealer.seal(JSON.stringify(ticket), contextOf(viewer)).toString('base64url');
}

/** The ticket that was sealed for this viewer; undefined for anything else. */
export function openTicket(sealer: Sealer, field: string, viewer: Viewer): ConsentTicket | undefined {
  const text = sealer.open(Buffer.from(field, 'base64url'), contextOf(viewer));
  return text === undefined ? undefined : ticketSchema.parse(JSON.parse(text));
}

function contextOf({ sessionId, personId }: Viewer): string {
  return JSON.stringify(['consent', sessionId, personId]);
}

/** Notes that a consent was denied. False when it had been answered before. */
export function denyAuthorization(
  { store }: { readonly store: AuthorizationStore },
  consentId: string,
): Promise<boolean> {
  return store.inTransaction((transaction) => transaction.answerConsent(consentId));
}
