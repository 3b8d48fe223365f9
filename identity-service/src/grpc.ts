import {
  apiKeyService,
  applicationService,
  authorizationService,
  businessAccountService,
  grantService,
  limitRequestService,
  operatorService,
  originService,
  personService,
  usageService,
  webhookEndpointService,
  webhookSubscriptionService,
} from '@platform/protos/identity';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import { apiKeyHandlers } from './api-keys/grpc.ts';
import { createApiKeyStore } from './api-keys/store.ts';
import { applicationHandlers, originHandlers } from './applications/grpc.ts';
import { createApplicationStore } from './applications/store.ts';
import { createAuditReader, createAuditWriter } from './audit/store.ts';
import { createFindCredential } from './authorization/credential-store.ts';
import { authorizationHandlers, createAuthorizeMetrics } from './authorization/grpc.ts';
import { createPassportIssuer, signPassport } from './authorization/passport.ts';
import { createFreezeStore } from './businesses/freeze-store.ts';
import { businessAccountHandlers } from './businesses/grpc.ts';
import type { Config } from './config.ts';
import { grantHandlers } from './grants/grpc.ts';
import { createGrantStore } from './grants/store.ts';
import { limitRequestHandlers } from './limit-requests/grpc.ts';
import { createLimitRequestStore } from './limit-requests/store.ts';
import { createLogoStore } from './logos/store.ts';
import { createClientStore } from './oauth/client-store.ts';
import { recordExposedSecret } from './oauth/exposed-secret.ts';
import { createFourEyesStore } from './operators/four-eyes-store.ts';
import { operatorHandlers } from './operators/grpc.ts';
import { createImpartialCheck } from './operators/impartial-store.ts';
import { createOperatorLogStore } from './operators/log-store.ts';
import { createOperatorStore } from './operators/store.ts';
import { personHandlers } from './passkeys/grpc.ts';
import { createPasskeyStore } from './passkeys/store.ts';
import { createPersonStore } from './people/store.ts';
import type { Background } from './platform/background.ts';
import type { BusinessLookup } from './platform/businesses.ts';
import type { Propagate } from './platform/credential-generations.ts';
import { createMailer, type SendMail } from './platform/mail.ts';
import { createSecretHasher, type SecretHasher } from './platform/secrets.ts';
import type { Storage } from './platform/storage.ts';
import { createRequirementStore } from './required-factor/store.ts';
import { createTeamStore } from './team/store.ts';
import { usageHandlers } from './traffic/grpc.ts';
import type { OAuthFailures } from './traffic/oauth-failures.ts';
import type { ExposedRequest } from './traffic/request-log.ts';
import { createRequestStore } from './traffic/request-log-store.ts';
import { createUsageStore } from './traffic/usage-store.ts';
import type { WebhookClient } from './webhooks/client.ts';
import { webhookEndpointHandlers, webhookHandlers } from './webhooks/grpc.ts';
import { createSubscriptionStore } from './webhooks/store.ts';
import { type Warning, warnOwners } from './webhooks/warning.ts';
import { createWarningStore } from './webhooks/warning-store.ts';

export interface ServicesDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly background: Background;
  /** Undefined in an installation without webhook-service. */
  readonly webhooks: WebhookClient | undefined;
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
  const applicationDeps = {
    applications: createApplicationStore(database, prisma),
    hasher,
    propagate,
    findBusiness: businesses.find,
    findBanned: businesses.findBanned,
    setBan: businesses.setBan,
  };
  const grantDeps = { grants: createGrantStore(database, prisma), propagate };
  const accountDeps = {
    freezes: createFreezeStore(database, prisma),
    team: createTeamStore(database, prisma),
    requirements: createRequirementStore(database, prisma),
    audit: createAuditReader(database, prisma),
    createBusiness: businesses.create,
    submitVerification: businesses.submitVerification,
    decide: businesses.decideVerification,
    find: businesses.find,
    updateRecord: businesses.updateRecord,
    logos: createLogoStore(database, prisma),
    record: createAuditWriter(database, prisma),
    recordDeed: createOperatorLogStore(database, prisma).record,
    checkImpartial: createImpartialCheck(database, prisma),
    propagate,
    businessExists: businesses.exists,
  };
  const sendMail = createMailer(config, deps.logger);
  const mailing = { sendMail, publicUrl: config.PUBLIC_URL, logger: deps.logger };
  const limitRequestDeps = { ...mailing, propagate, requests: createLimitRequestStore(database, prisma) };
  const warnDeps = {
    ...mailing,
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
    grpcService(apiKeyService, apiKeyHandlers(keyDeps)),
    grpcService(applicationService, applicationHandlers(applicationDeps)),
    grpcService(grantService, grantHandlers(grantDeps)),
    grpcService(businessAccountService, businessAccountHandlers(accountDeps)),
    grpcService(limitRequestService, limitRequestHandlers(limitRequestDeps)),
    createOperatorService(deps, sendMail),
    createPersonService(deps),
    grpcService(usageService, usageHandlers(createUsageDeps(deps, hasher))),
    grpcService(originService, originHandlers(applicationDeps.applications)),
    grpcService(webhookSubscriptionService, webhookHandlers(webhookDeps)),
    grpcService(
      webhookEndpointService,
      webhookEndpointHandlers({ client: deps.webhooks, audit: createAuditWriter(database, prisma) }),
    ),
  ];
}

function createOperatorService(
  { config, storage: { database, prisma }, background }: ServicesDeps,
  sendMail: SendMail,
): GrpcService {
  const deps = {
    operators: createOperatorStore(database, prisma),
    log: createOperatorLogStore(database, prisma),
    fourEyes: createFourEyesStore(database, prisma),
    hasher: createSecretHasher(config.KEY_PEPPERS, config.CREDENTIAL_TAG_KEYS[0]),
    mailer: { sendMail, background, publicUrl: config.PUBLIC_URL },
  };
  return grpcService(operatorService, operatorHandlers(deps));
}

function createPersonService({ storage: { database, prisma } }: ServicesDeps): GrpcService {
  const people = createPersonStore(database, prisma);
  const passkeys = createPasskeyStore(database, prisma);
  return grpcService(personService, personHandlers({ people, passkeys }));
}
