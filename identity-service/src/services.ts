import {
  apiKeyService,
  applicationService,
  authorizationService,
  grantService,
  originService,
  usageService,
} from '@platform/protos/identity';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc-server.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import type { BusinessLookup } from './business-lookup.ts';
import type { Config } from './config.ts';
import type { Propagate } from './generations/propagation.ts';
import { createAuthorizeMetrics } from './metrics/authorize-metrics.ts';
import { createPassportOffice } from './passport/passport-office.ts';
import { signPassport } from './passport/sign-passport.ts';
import { apiKeyHandlers } from './rpc/api-key-handlers.ts';
import { applicationHandlers, originHandlers } from './rpc/application-handlers.ts';
import { authorizationHandlers } from './rpc/authorization-handlers.ts';
import { grantHandlers } from './rpc/grant-handlers.ts';
import { usageHandlers } from './rpc/usage-handlers.ts';
import { createSecretHasher } from './secrets/secret-hasher.ts';
import type { Storage } from './storage.ts';
import { createApiKeyStore } from './store/api-key-store.ts';
import { createApplicationStore } from './store/application-store.ts';
import { createFindCredential } from './store/credential-store.ts';
import { createGrantStore } from './store/grant-store.ts';
import { createRequestStore } from './store/request-store.ts';
import { createUsageStore } from './store/usage-store.ts';

export interface ServicesDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly registry: Registry;
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
    issuePassport: createPassportOffice((credential) =>
      signPassport(config.PASSPORT_PRIVATE_KEY, credential),
    ),
  };
  const keyDeps = {
    keys: createApiKeyStore(database, prisma),
    hasher,
    propagate,
    businessExists: businesses.exists,
  };
  const applicationDeps = {
    applications: createApplicationStore(database, prisma),
    hasher,
    propagate,
    findBusiness: businesses.find,
  };
  const grantDeps = { grants: createGrantStore(database, prisma), propagate };
  const usageDeps = {
    usage: createUsageStore(database, prisma),
    requests: createRequestStore(database, prisma),
  };
  return [
    grpcService(authorizationService, authorizationHandlers(authorizeDeps, metrics)),
    grpcService(apiKeyService, apiKeyHandlers(keyDeps)),
    grpcService(applicationService, applicationHandlers(applicationDeps)),
    grpcService(grantService, grantHandlers(grantDeps)),
    grpcService(usageService, usageHandlers(usageDeps)),
    grpcService(originService, originHandlers(applicationDeps.applications)),
  ];
}
