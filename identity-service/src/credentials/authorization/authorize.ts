import { checkedTokenPrefix } from '@platform/service-kit/secrets/checked-token.ts';
import { apiKeyStatus } from '../../platform/expiry.ts';
import { isWhitelisted } from '../../platform/ip-whitelist.ts';
import type { SecretHasher } from '../../platform/secrets.ts';
import type { FindRetired, RetiredString } from '../../traffic/retired-string.ts';
import type { BearerKind, Credential, FindCredential } from './credential.ts';
import type { IssuePassport, Passport } from './passport.ts';

const kinds: Readonly<Record<string, BearerKind>> = { sk: 'api_key', rk: 'api_key', at: 'access_token' };

/** Kind of a bearer with the format and checksum of a credential; undefined for any other string. */
function bearerKind(bearer: string): BearerKind | undefined {
  return kinds[checkedTokenPrefix(bearer) ?? ''];
}

/** Why an existing credential is refused. */
export type Refusal =
  | 'expired'
  | 'frozen'
  | 'key_frozen'
  | 'application_suspended'
  | 'connection_suspended'
  | 'ip_denied'
  | 'scope_denied';

/** Requirements of a request. */
export interface Demand {
  /** Scope of the route; undefined when authentication alone is required. */
  readonly requiredScope: string | undefined;
  /** Client address, as the gateway determined it. */
  readonly clientIp: string;
}

/** The fields of a credential that the checks read. */
export type Checked = Pick<
  Credential,
  'scopes' | 'ipWhitelist' | 'expiresAt' | 'frozen' | 'keyFrozen' | 'suspended' | 'readAt'
>;

type Check = (credential: Checked, demand: Demand) => Refusal | undefined;

const refuseExpired: Check = ({ expiresAt, readAt }) =>
  apiKeyStatus(expiresAt, readAt) === 'expired' ? 'expired' : undefined;

const refuseFrozen: Check = ({ frozen }) => (frozen ? 'frozen' : undefined);

const refuseFrozenKey: Check = ({ keyFrozen }) => (keyFrozen ? 'key_frozen' : undefined);

const refuseSuspended: Check = ({ suspended }) =>
  suspended === undefined ? undefined : `${suspended}_suspended`;

const refuseForeignAddress: Check = ({ ipWhitelist }, { clientIp }) =>
  ipWhitelist === undefined || isWhitelisted(ipWhitelist, clientIp) ? undefined : 'ip_denied';

const refuseMissingScope: Check = ({ scopes }, { requiredScope }) =>
  requiredScope === undefined || scopes.some((scope) => scope === requiredScope) ? undefined : 'scope_denied';

/** In this order: the first refusal counts. */
const checks: readonly Check[] = [
  refuseExpired,
  refuseFrozen,
  refuseFrozenKey,
  refuseSuspended,
  refuseForeignAddress,
  refuseMissingScope,
];

/** The first reason to refuse; undefined when there is none. */
export function findRefusal(credential: Checked, demand: Demand): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(credential, demand);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

export interface AuthorizeDeps {
  readonly hasher: Pick<SecretHasher, 'candidates'>;
  readonly findCredential: FindCredential;
  readonly findRetired: FindRetired;
  readonly issuePassport: IssuePassport;
}

interface AuthorizeInput extends Demand {
  /** The string after `Bearer `, unchanged. */
  readonly bearer: string;
  /** Deadline of the call, in monotonic milliseconds. */
  readonly endsAt: number;
}

/** Result of an authorization. Refusals are results, not errors. */
export type Authorization =
  | { readonly outcome: 'invalid'; readonly retired: RetiredString | undefined }
  | { readonly outcome: Refusal; readonly credential: Credential }
  | { readonly outcome: 'allowed'; readonly credential: Credential; readonly passport: Passport };

/** Authorizes a bearer for a request: format, lookup, checks, passport. */
export async function authorize(
  { hasher, findCredential, findRetired, issuePassport }: AuthorizeDeps,
  { bearer, endsAt, ...demand }: AuthorizeInput,
): Promise<Authorization> {
  const kind = bearerKind(bearer);
  if (kind === undefined) return { outcome: 'invalid', retired: undefined };
  const hashes = hasher.candidates(bearer);
  const credential = await findCredential(kind, hashes, endsAt);
  if (credential === undefined) {
    // The response does not depend on it, so a failure here must not turn a 401 into a 503.
    return { outcome: 'invalid', retired: await findRetired(hashes, endsAt).catch(() => undefined) };
  }
  const refusal = findRefusal(credential, demand);
  if (refusal !== undefined) return { outcome: refusal, credential };
  return { outcome: 'allowed', credential, passport: await issuePassport(credential) };
}
