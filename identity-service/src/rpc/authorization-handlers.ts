import type { AuthorizeResponse, authorizationService, Outcome } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc-server.ts';
import { type Authorization, type AuthorizeDeps, authorize } from '../authorization/authorize.ts';
import type { CredentialType } from '../authorization/credential.ts';
import type { AuthorizeMetrics } from '../metrics/authorize-metrics.ts';

const outcomes: Readonly<Record<Authorization['outcome'], Outcome>> = {
  allowed: 'OUTCOME_ALLOWED',
  invalid: 'OUTCOME_INVALID',
  expired: 'OUTCOME_EXPIRED',
  frozen: 'OUTCOME_BUSINESS_FROZEN',
  ip_denied: 'OUTCOME_IP_DENIED',
  scope_denied: 'OUTCOME_SCOPE_DENIED',
};

const credentialTypes = {
  secret_key: 'CREDENTIAL_TYPE_SECRET_KEY',
  restricted_key: 'CREDENTIAL_TYPE_RESTRICTED_KEY',
  access_token: 'CREDENTIAL_TYPE_ACCESS_TOKEN',
} as const satisfies Record<CredentialType, string>;

/** identity.v1.AuthorizationService. */
export function authorizationHandlers(
  deps: AuthorizeDeps,
  metrics: AuthorizeMetrics,
): UnaryHandlers<typeof authorizationService> {
  return {
    Authorize: async ({ bearer, requiredScope, clientIp }, { endsAt }) => {
      const end = metrics.start();
      try {
        const demand = { bearer, endsAt, requiredScope: requiredScope || undefined, clientIp };
        const authorization = await authorize(deps, demand);
        end(authorization.outcome);
        return toAuthorizeResponse(authorization);
      } catch (error) {
        end('failed');
        throw error;
      }
    },
  };
}

function toAuthorizeResponse(authorization: Authorization): AuthorizeResponse {
  const passport = authorization.outcome === 'allowed' ? authorization.passport : undefined;
  const credential = authorization.outcome === 'invalid' ? undefined : authorization.credential;
  return {
    outcome: outcomes[authorization.outcome],
    principal:
      credential === undefined
        ? null
        : {
            businessId: credential.businessId,
            credentialType: credentialTypes[credential.type],
            credentialId: credential.id,
            limitId: credential.limitId,
            scopes: [...credential.scopes],
            allowedOrigins: [...credential.allowedOrigins],
          },
    limit: credential?.limit ?? 0,
    generation: credential?.generation ?? 0,
    expiresAtUnixMs: credential?.expiresAt ?? 0,
    passport: passport?.token ?? '',
    passportExpiresAtUnixMs: passport?.expiresAt ?? 0,
  };
}
