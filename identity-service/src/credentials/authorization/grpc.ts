import type { AuthorizeResponse, authorizationService, Outcome } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import { Histogram, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { RetiredString } from '../../traffic/retired-string.ts';
import { type Authorization, type AuthorizeDeps, authorize } from './authorize.ts';
import type { CredentialType } from './credential.ts';

/** Measures authorizations. */
export interface AuthorizeMetrics {
  /** Starts a measurement; calling the result with the outcome ends it. */
  start(): (outcome: string) => void;
  /** Milliseconds that a lookup waited for its turn. */
  observeWait(ms: number): void;
  /** Milliseconds that a query took. */
  observeQuery(ms: number): void;
}

const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];

/** Duration and, by its count, number of authorizations, by outcome. */
export function createAuthorizeMetrics(registry: Registry): AuthorizeMetrics {
  const duration = new Histogram({
    name: 'identity_authorize_duration_seconds',
    help: 'Time that an Authorize call took, by outcome.',
    labelNames: ['outcome'],
    buckets,
    registers: [registry],
  });
  const waits = new Histogram({
    name: 'identity_lookup_wait_seconds',
    help: 'Time that the lookup of a credential waited for its turn.',
    buckets,
    registers: [registry],
  });
  const queries = new Histogram({
    name: 'identity_lookup_query_seconds',
    help: 'Time that a query for credentials took.',
    buckets,
    registers: [registry],
  });
  return {
    start: () => {
      const end = duration.startTimer();
      return (outcome) => {
        end({ outcome });
      };
    },
    observeWait: (ms) => waits.observe(ms / 1000),
    observeQuery: (ms) => queries.observe(ms / 1000),
  };
}

const outcomes: Readonly<Record<Authorization['outcome'], Outcome>> = {
  allowed: 'OUTCOME_ALLOWED',
  invalid: 'OUTCOME_INVALID',
  expired: 'OUTCOME_EXPIRED',
  frozen: 'OUTCOME_BUSINESS_FROZEN',
  key_frozen: 'OUTCOME_KEY_FROZEN',
  application_suspended: 'OUTCOME_APPLICATION_SUSPENDED',
  connection_suspended: 'OUTCOME_CONNECTION_SUSPENDED',
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
            isSandbox: credential.isSandbox,
          },
    limit: credential?.limit ?? 0,
    generation: credential?.generation ?? 0,
    expiresAtUnixMs: credential?.expiresAt ?? 0,
    passport: passport?.token ?? '',
    upstreamPassports: { ...passport?.upstreamTokens },
    passportExpiresAtUnixMs: passport?.expiresAt ?? 0,
    retired: authorization.outcome === 'invalid' ? toRetired(authorization.retired) : null,
  };
}

function toRetired(retired: RetiredString | undefined): AuthorizeResponse['retired'] {
  return retired === undefined
    ? null
    : { ...retired, credentialType: credentialTypes[retired.credentialType] };
}
