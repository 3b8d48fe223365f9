import {
  authorizationService,
  canaryKeyService,
  canaryReportService,
  originService,
  usageService,
  webhookSubscriptionService,
} from '@platform/protos/identity';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import type { Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Acts } from './acts.ts';
import type { Config } from './config.ts';
import { canaryKeyHandlers } from './credentials/api-keys/grpc.ts';
import { originHandlers } from './credentials/applications/grpc.ts';
import { createFindCredential, createFindRetired } from './credentials/authorization/credential-store.ts';
import { authorizationHandlers, createAuthorizeMetrics } from './credentials/authorization/grpc.ts';
import { createPassportIssuer, createPassportSigner } from './credentials/authorization/passport.ts';
import { recordExposedSecret } from './oauth/exposed-secret.ts';
import type { Storage } from './platform/storage.ts';
import { canaryReportHandlers } from './promises/grpc.ts';
import { usageHandlers } from './traffic/grpc.ts';
import type { OAuthCalls } from './traffic/oauth-calls.ts';
import type { ExposedRequest } from './traffic/request-log.ts';
import { webhookHandlers } from './webhooks/grpc.ts';
import { warnOwners } from './webhooks/warn-owners.ts';
import type { Warning } from './webhooks/warning.ts';

interface ServicesDeps extends Acts {
  readonly config: Config;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly oauthLog: OAuthCalls;
}

/** Every gRPC service of identity-service. */
export function createServices(deps: ServicesDeps): readonly GrpcService[] {
  const { config, hasher } = deps;
  const metrics = createAuthorizeMetrics(deps.registry);
  const authorizeDeps = {
    hasher,
    findCredential: createFindCredential({ ...deps.storage, apiScopes: deps.apiScopes, metrics }),
    findRetired: createFindRetired({ ...deps.storage, metrics }),
    issuePassport: createPassportIssuer(
      createPassportSigner(
        config.PASSPORT_PRIVATE_KEY,
        config.API_DIR.upstreams.map(({ name }) => name),
      ),
    ),
  };
  const usageDeps = {
    usage: deps.usageReports,
    requests: deps.requests,
    retired: deps.retired,
    recordExposedSecret: (request: ExposedRequest) => recordExposedSecret(deps, request),
  };
  const webhookDeps = {
    subscriptions: deps.subscriptions,
    apiScopes: deps.apiScopes,
    findBanned: deps.findBanned,
    warnOwners: (warning: Warning, requestId: string) => warnOwners(deps, warning, requestId),
  };
  return [
    grpcService(authorizationService, authorizationHandlers(authorizeDeps, metrics)),
    grpcService(canaryKeyService, canaryKeyHandlers(deps)),
    grpcService(canaryReportService, canaryReportHandlers(deps.promises)),
    grpcService(usageService, usageHandlers(usageDeps)),
    grpcService(originService, originHandlers(deps.applications)),
    grpcService(webhookSubscriptionService, webhookHandlers(webhookDeps)),
  ];
}
