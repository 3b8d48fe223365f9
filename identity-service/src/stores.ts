import { createOutboxStore } from './audit/events/store.ts';
import { createNoticeStore } from './audit/notices/store.ts';
import { createImpartialCheck } from './audit/operator-log/impartial-store.ts';
import { createOperatorLogStore } from './audit/operator-log/store.ts';
import { createAuditReader, createAuditWriter } from './audit/store.ts';
import { createCreationStore } from './businesses/creation-store.ts';
import { createFreezeStore } from './businesses/freeze-store.ts';
import { createLogoStore } from './businesses/logos/store.ts';
import { createOverviewReader } from './businesses/overview/store.ts';
import { createSandboxStore } from './businesses/sandboxes/store.ts';
import { createApiKeyStore } from './credentials/api-keys/store.ts';
import { createGoLiveStore } from './credentials/applications/go-live/store.ts';
import { createProblemStore } from './credentials/applications/problems/store.ts';
import { createApplicationStore } from './credentials/applications/store.ts';
import { createSettingsReader } from './credentials/forecasts/settings-store.ts';
import { createConnectionReader, createGrantStore } from './credentials/grants/store.ts';
import { createKeyLifetimeStore } from './credentials/key-lifetimes/store.ts';
import { createLeakStore } from './leaks/store.ts';
import { createAuthorizationStore } from './oauth/authorization-store.ts';
import { createClientStore } from './oauth/client-store.ts';
import { createTokenStore } from './oauth/token-store.ts';
import { createFourEyesStore } from './operators/four-eyes-store.ts';
import { createLimitRequestStore } from './operators/limit-requests/store.ts';
import { createProposalStore } from './operators/proposal-store.ts';
import { createOperatorSearch } from './operators/search-store.ts';
import { createOperatorStore } from './operators/store.ts';
import { createDeletionStore } from './people/account-deletion/store.ts';
import { createEmailChangeStore } from './people/email-change/store.ts';
import { createPasskeyStore } from './people/passkeys/store.ts';
import { createRequirementStore } from './people/required-factor/store.ts';
import { createSignUpStore } from './people/sign-up/store.ts';
import { createPersonStore } from './people/store.ts';
import { createLeftoverStore } from './people/team/leftover-store.ts';
import { createTeamStore } from './people/team/store.ts';
import { createGenerationStore } from './platform/credential-generations.ts';
import { createRevocationTimeStore } from './platform/revocation-times.ts';
import type { ApiScopes } from './platform/scope.ts';
import type { Storage } from './platform/storage.ts';
import { createPromiseStore } from './promises/store.ts';
import { createOAuthCallStore } from './traffic/oauth-call-store.ts';
import { createPostgresLog } from './traffic/postgres-log-store.ts';
import { createRetiredStore } from './traffic/retired-store.ts';
import { createFindCallers, createUsageReader } from './traffic/usage-report-store.ts';
import { createUsageStore } from './traffic/usage-store.ts';
import { createSubscriptionStore } from './webhooks/store.ts';
import { createWarningStore } from './webhooks/warning-store.ts';

export type Stores = ReturnType<typeof openStores>;

/** Stores of the database, under the names that operations give them. A process opens them once. */
export function openStores({ database, prisma }: Pick<Storage, 'database' | 'prisma'>, apiScopes: ApiScopes) {
  return {
    generations: createGenerationStore(database, prisma),
    audit: createAuditWriter(database, prisma),
    auditLog: createAuditReader(database, prisma),
    outbox: createOutboxStore(database, prisma),
    notices: createNoticeStore(database, prisma),
    operatorLog: createOperatorLogStore(database, prisma),
    checkImpartial: createImpartialCheck(database, prisma),
    requests: createPostgresLog(database, prisma),
    retired: createRetiredStore(database, prisma),
    usage: createUsageReader(database, prisma),
    usageReports: createUsageStore(database, prisma),
    findClients: createFindCallers(database, prisma),
    oauthCalls: createOAuthCallStore(database, prisma),
    promises: createPromiseStore(database, prisma),
    revocationTimes: createRevocationTimeStore(database, prisma),
    keys: createApiKeyStore(database, prisma),
    keyLifetimes: createKeyLifetimeStore(database, prisma),
    applications: createApplicationStore(database, prisma),
    problems: createProblemStore(database, prisma),
    goLive: createGoLiveStore(database, prisma),
    grants: createGrantStore(database, prisma),
    accessSettings: createSettingsReader(database, prisma, apiScopes),
    connections: createConnectionReader(database, prisma),
    subscriptions: createSubscriptionStore(database, prisma),
    warnings: createWarningStore(database, prisma),
    people: createPersonStore(database, prisma),
    passkeys: createPasskeyStore(database, prisma),
    requirements: createRequirementStore(database, prisma),
    emailChanges: createEmailChangeStore(database, prisma),
    deletions: createDeletionStore(database, prisma),
    signUps: createSignUpStore(database, prisma),
    team: createTeamStore(database, prisma),
    leftovers: createLeftoverStore(database, prisma),
    clients: createClientStore(database, prisma),
    tokens: createTokenStore(database, prisma),
    authorizations: createAuthorizationStore(database, prisma),
    creations: createCreationStore(database, prisma),
    leaks: createLeakStore(database, prisma),
    freezes: createFreezeStore(database, prisma),
    sandboxes: createSandboxStore(database, prisma),
    logos: createLogoStore(database, prisma),
    overview: createOverviewReader(database, prisma),
    operators: createOperatorStore(database, prisma),
    operatorSearch: createOperatorSearch(database, prisma),
    limitRequests: createLimitRequestStore(database, prisma),
    proposals: createProposalStore(database, prisma),
    fourEyes: createFourEyesStore(database, prisma),
  };
}
