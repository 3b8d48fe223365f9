import { apiKeyStatus } from '../api-keys/api-key-status.ts';
import { isWhitelisted } from '../applications/ip-whitelist.ts';
import type { Credential } from './credential.ts';

/** Why a genuine credential may not do what the request asks. */
export type Refusal = 'expired' | 'frozen' | 'ip_denied' | 'scope_denied';

/** What a request asks for. */
export interface Demand {
  /** Scope of the route; absent when authentication alone is asked for. */
  readonly requiredScope: string | undefined;
  /** Address of the caller, as the gateway determined it. */
  readonly clientIp: string;
}

type Check = (credential: Credential, demand: Demand) => Refusal | undefined;

const refuseExpired: Check = ({ expiresAt, readAt }) =>
  apiKeyStatus(expiresAt, readAt) === 'expired' ? 'expired' : undefined;

const refuseFrozen: Check = ({ frozen }) => (frozen ? 'frozen' : undefined);

const refuseForeignAddress: Check = ({ ipWhitelist }, { clientIp }) =>
  ipWhitelist === undefined || isWhitelisted(ipWhitelist, clientIp) ? undefined : 'ip_denied';

const refuseMissingScope: Check = ({ scopes }, { requiredScope }) =>
  requiredScope === undefined || scopes.some((scope) => scope === requiredScope) ? undefined : 'scope_denied';

/** In this order: the first refusal is the answer. */
const checks: readonly Check[] = [refuseExpired, refuseFrozen, refuseForeignAddress, refuseMissingScope];

/** The first reason to refuse; undefined when there is none. */
export function findRefusal(credential: Credential, demand: Demand): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(credential, demand);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
