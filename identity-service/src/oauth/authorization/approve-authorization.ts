import { randomBytes } from 'node:crypto';
import { createCheckedToken } from '@platform/service-kit/checked-token.ts';
import type { Application } from '../../applications/application.ts';
import { hasRoom } from '../../applications/connected-user-limit.ts';
import { matchesRedirectUri } from '../../applications/redirect-uri.ts';
import type { Actor } from '../../audit/audit-event.ts';
import type { SecretHasher } from '../../secrets/secret-hasher.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { AuthorizationStore, AuthorizationTransaction } from './authorization-store.ts';
import { covers, limitReached } from './decide-authorization.ts';

export interface ApproveAuthorizationDeps {
  readonly store: AuthorizationStore;
  readonly hasher: Pick<SecretHasher, 'hash'>;
  readonly codeLifetimeSeconds: number;
}

export interface ApproveAuthorizationInput {
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
