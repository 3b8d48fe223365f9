import type { Logger } from '@platform/service-kit/logger.ts';
import type { Router } from 'express';
import { createImpartialCheck } from './audit/operator-log/impartial-store.ts';
import { createOperatorLogStore } from './audit/operator-log/store.ts';
import { createAuditReader, createAuditWriter } from './audit/store.ts';
import { createFreezeStore } from './businesses/freeze-store.ts';
import { createLogoStore } from './businesses/logos/store.ts';
import type { BusinessLookup } from './clients/business.ts';
import type { Config } from './config.ts';
import { createApiKeyStore } from './credentials/api-keys/store.ts';
import { createApplicationStore } from './credentials/applications/store.ts';
import { operatorActionOperations } from './operators/action-operations.ts';
import { operatorGate, operatorReadOperations } from './operators/dashboard.ts';
import { createFourEyesStore } from './operators/four-eyes-store.ts';
import { createLimitRequestStore } from './operators/limit-requests/store.ts';
import { createProposalStore } from './operators/proposal-store.ts';
import { createOperatorSearch } from './operators/search-store.ts';
import { createOperatorStore } from './operators/store.ts';
import { createRequirementStore } from './people/required-factor/store.ts';
import type { PersonStore } from './people/store.ts';
import { createTeamStore } from './people/team/store.ts';
import type { Propagate } from './platform/credential-generations.ts';
import type { SecretHasher } from './platform/secrets.ts';
import type { Storage } from './platform/storage.ts';
import type { Throttle } from './platform/throttle.ts';
import { createUsageReader } from './traffic/usage-report-store.ts';
import { dashboardApi } from './web/dashboard-api/api.ts';
import type { EventStreams } from './web/dashboard-api/event-streams.ts';
import { operatorsAudience } from './web/dashboard-api/openapi.ts';
import { createMailer } from './web/mail.ts';
import type { SessionStore } from './web/sessions/store.ts';

interface OperatorsApiDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly streams: EventStreams;
  readonly logger: Logger;
  readonly accounts: {
    readonly people: PersonStore;
    readonly hasher: SecretHasher;
    readonly throttle: Throttle;
    readonly sessionStore: SessionStore;
  };
}

/** The API behind the operators' console: the operations of `npm run admin`, for people with the role. */
export function createOperatorsApi(deps: OperatorsApiDeps): Router {
  const { config, businesses, propagate, logger, accounts } = deps;
  const { database, prisma } = deps.storage;
  const { people, hasher, throttle } = accounts;
  const operators = createOperatorStore(database, prisma);
  const shared = {
    limitRequests: createLimitRequestStore(database, prisma),
    proposals: createProposalStore(database, prisma),
    keys: createApiKeyStore(database, prisma),
    applications: createApplicationStore(database, prisma),
    freezes: createFreezeStore(database, prisma),
    hasher,
    throttle,
  };
  return dashboardApi({
    audience: operatorsAudience,
    gate: operatorGate(operators),
    people,
    streams: deps.streams,
    isLive: accounts.sessionStore.isLive,
    publicUrl: config.PUBLIC_URL,
    logger,
    operations: [
      ...operatorReadOperations({
        ...shared,
        operators,
        businesses,
        operatorLog: createOperatorLogStore(database, prisma),
        operatorSearch: createOperatorSearch(database, prisma),
        requirements: createRequirementStore(database, prisma),
        team: createTeamStore(database, prisma),
        usage: createUsageReader(database, prisma),
        auditLog: createAuditReader(database, prisma),
        now: Date.now,
      }),
      ...operatorActionOperations({
        ...shared,
        fourEyes: createFourEyesStore(database, prisma),
        businessExists: businesses.exists,
        propagate,
        findBanned: businesses.findBanned,
        setBan: businesses.setBan,
        updateRecord: businesses.updateRecord,
        logos: createLogoStore(database, prisma),
        decideVerification: businesses.decideVerification,
        findBusiness: businesses.find,
        auditLog: createAuditReader(database, prisma),
        audit: createAuditWriter(database, prisma),
        checkImpartial: createImpartialCheck(database, prisma),
        sendMail: createMailer(config, logger),
        publicUrl: config.PUBLIC_URL,
        logger,
      }),
    ],
  });
}
