import {
  authorizationService,
  canaryKeyService,
  originService,
  usageService,
  webhookSubscriptionService,
} from '@platform/protos/identity';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import type { BusinessLookup } from './clients/business.ts';
import type { Config } from './config.ts';
import { canaryKeyHandlers } from './credentials/api-keys/grpc.ts';
import { createApiKeyStore } from './credentials/api-keys/store.ts';
import { originHandlers } from './credentials/applications/grpc.ts';
import { createApplicationStore } from './credentials/applications/store.ts';
import { createFindCredential } from './credentials/authorization/credential-store.ts';
import { authorizationHandlers, createAuthorizeMetrics } from './credentials/authorization/grpc.ts';
import { createPassportIssuer, signPassport } from './credentials/authorization/passport.ts';
import { createClientStore } from './oauth/client-store.ts';
import { recordExposedSecret } from './oauth/exposed-secret.ts';
import type { Propagate } from './platform/credential-generations.ts';
import { createSecretHasher, type SecretHasher } from './platform/secrets.ts';
import type { Storage } from './platform/storage.ts';
import { usageHandlers } from './traffic/grpc.ts';
import type { OAuthFailures } from './traffic/oauth-failures.ts';
import type { ExposedRequest } from './traffic/request-log.ts';
import { createRequestStore } from './traffic/request-log-store.ts';
import { createUsageStore } from './traffic/usage-store.ts';
import { createMailer } from './web/mail.ts';
import { webhookHandlers } from './webhooks/grpc.ts';
import { createSubscriptionStore } from './webhooks/store.ts';
import { warnOwners } from './webhooks/warn-owners.ts';
import type { Warning } from './webhooks/warning.ts';
import { createWarningStore } from './webhooks/warning-store.ts';

export interface ServicesDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly failures: OAuthFailures;
}

/** Stores of the reports of gateways. */
function createUsageDeps({ storage, failures }: ServicesDeps, hasher: SecretHasher) {
  const { database, prisma } = storage;
  const clients = createClientStore(database, prisma);
  return {
    usage: createUsageStore(database, prisma),
    requests: createRequestStore(database, prisma),
    recordExposedSecret: (request: ExposedRequest) =>
      recordExposedSecret({ clients, hasher, failures }, request),
  };
}

/** Every gRPC service of identity-service. */
export function createServices(deps: ServicesDeps): readonly GrpcService[] {
  const { config, storage, propagate, businesses, registry } = deps;
  const { database, prisma } = storage;
  const metrics = createAuthorizeMetrics(registry);
  const hasher = createSecretHasher(config.KEY_PEPPERS, config.CREDENTIAL_TAG_KEYS[0]);
  const authorizeDeps = {
    hasher,
    findCredential: createFindCredential({ database, prisma, liveness: storage.liveness, metrics }),
    issuePassport: createPassportIssuer((credential) =>
      signPassport(config.PASSPORT_PRIVATE_KEY, credential),
    ),
  };
  const keyDeps = {
    keys: createApiKeyStore(database, prisma),
    hasher,
    propagate,
    businessExists: businesses.exists,
  };
  const warnDeps = {
    sendMail: createMailer(config, deps.logger),
    publicUrl: config.PUBLIC_URL,
    logger: deps.logger,
    warnings: createWarningStore(database, prisma),
    findBusiness: businesses.find,
  };
  const webhookDeps = {
    subscriptions: createSubscriptionStore(database, prisma),
    findBanned: businesses.findBanned,
    warnOwners: (warning: Warning, requestId: string) => warnOwners(warnDeps, warning, requestId),
  };
  return [
    grpcService(authorizationService, authorizationHandlers(authorizeDeps, metrics)),
    grpcService(canaryKeyService, canaryKeyHandlers(keyDeps)),
    grpcService(usageService, usageHandlers(createUsageDeps(deps, hasher))),
    grpcService(originService, originHandlers(createApplicationStore(database, prisma))),
    grpcService(webhookSubscriptionService, webhookHandlers(webhookDeps)),
  ];
}
