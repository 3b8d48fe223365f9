import { defaultSupportEmail } from '@platform/service-kit/addresses.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import type { Tracer } from '@platform/service-kit/tracing/tracer.ts';
import type { Express, Router } from 'express';
import { auditOperations } from './audit/dashboard.ts';
import { noticeOperations } from './audit/notices/dashboard.ts';
import { createNoticeStore } from './audit/notices/store.ts';
import { createAuditReader, createAuditWriter } from './audit/store.ts';
import { createCreationStore } from './businesses/creation-store.ts';
import {
  businessOperations,
  creationOperations,
  freezeOperations,
  recordOperations,
  sessionOperations,
} from './businesses/dashboard.ts';
import { createFreezeStore } from './businesses/freeze-store.ts';
import { logoEndpoint } from './businesses/logos/logo-endpoint.ts';
import { createLogoStore } from './businesses/logos/store.ts';
import { overviewOperations } from './businesses/overview/dashboard.ts';
import { createOverviewReader } from './businesses/overview/store.ts';
import type { BusinessLookup } from './clients/business.ts';
import type { WebhookClient } from './clients/webhook.ts';
import type { Config } from './config.ts';
import { apiKeysOperations } from './credentials/api-keys/dashboard.ts';
import { createApiKeyStore } from './credentials/api-keys/store.ts';
import { applicationsOperations, applicationUseOperations } from './credentials/applications/dashboard.ts';
import { createApplicationStore } from './credentials/applications/store.ts';
import { connectedOperations } from './credentials/grants/dashboard.ts';
import { createConnectionReader, createGrantStore } from './credentials/grants/store.ts';
import { type Accounts, createAccounts, peopleRoutes } from './http-accounts.ts';
import { createAuthorizationServer } from './http-oauth.ts';
import { createOperatorsApi } from './http-operators.ts';
import { limitRequestOperations } from './operators/limit-requests/dashboard.ts';
import { createLimitRequestStore } from './operators/limit-requests/store.ts';
import { deletionOperations } from './people/account-deletion/dashboard.ts';
import { profileOperations } from './people/dashboard.ts';
import { emailChangeOperations } from './people/email-change/dashboard.ts';
import { createLeftoverStore } from './people/leftovers/store.ts';
import { leadOnFromOldForms } from './people/pages/old-login-form.ts';
import { passkeyOperations } from './people/passkeys/dashboard.ts';
import { isPasswordOf } from './people/password.ts';
import { requirementOperations } from './people/required-factor/dashboard.ts';
import { createRequirementStore } from './people/required-factor/store.ts';
import { invitationOperations, teamOperations } from './people/team/dashboard.ts';
import type { Background } from './platform/background.ts';
import type { Propagate } from './platform/credential-generations.ts';
import type { Storage } from './platform/storage.ts';
import { createThrottle } from './platform/throttle.ts';
import { requestsOperations } from './traffic/dashboard.ts';
import type { OAuthFailures } from './traffic/oauth-failures.ts';
import { createRequestStore } from './traffic/request-log-store.ts';
import { createFindCallers, createUsageReader, type UsageReader } from './traffic/usage-report-store.ts';
import { createApp } from './web/app.ts';
import { dashboardApi, memberGate } from './web/dashboard-api/api.ts';
import type { EventStreams } from './web/dashboard-api/event-streams.ts';
import { dashboardAudience } from './web/dashboard-api/openapi.ts';
import type { Operation } from './web/dashboard-api/operation.ts';
import { dashboardAssets, dashboardPages, readDashboard } from './web/dashboard-app.ts';
import { frontPageRoutes } from './web/front-page.ts';
import { createSessions } from './web/sessions/browser-session.ts';
import { createSessionStore } from './web/sessions/store.ts';
import { webhooksOperations } from './webhooks/dashboard.ts';
import { keysEndpoint } from './webhooks/keys-endpoint.ts';
import { createSubscriptionStore } from './webhooks/store.ts';

interface DashboardBusinessDeps {
  readonly storage: Storage;
  readonly businesses: BusinessLookup;
  readonly accounts: Accounts;
  readonly usage: UsageReader;
  readonly propagate: Propagate;
  readonly webhooks: WebhookClient | undefined;
}

/** The dashboard's part about a business, the people of its team, and their own accounts. */
function createBusinessOperations(deps: DashboardBusinessDeps): readonly Operation[] {
  const { businesses, accounts, usage } = deps;
  const { database, prisma } = deps.storage;
  return [
    ...businessOperations({ ...accounts, findBusiness: businesses.find, usage }),
    ...creationOperations({ ...accounts, creations: createCreationStore(database, prisma) }),
    ...recordOperations({
      logos: createLogoStore(database, prisma),
      updateRecord: businesses.updateRecord,
      audit: createAuditWriter(database, prisma),
      throttle: accounts.throttle,
      publicUrl: accounts.mailer.publicUrl,
    }),
    ...teamOperations({
      ...accounts,
      leftovers: createLeftoverStore(database, prisma),
      propagate: deps.propagate,
      client: deps.webhooks,
      applications: createApplicationStore(database, prisma),
      audit: createAuditWriter(database, prisma),
    }),
    ...invitationOperations(accounts),
    ...profileOperations(accounts),
    ...passkeyOperations(accounts),
    ...emailChangeOperations(accounts),
    ...deletionOperations(accounts),
    ...requirementOperations({ ...accounts, requirements: createRequirementStore(database, prisma) }),
  ];
}

interface DashboardApplicationsDeps {
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly accounts: Pick<Accounts, 'hasher'>;
  readonly usage: UsageReader;
}

/** The dashboard's part about applications, from both ends: the business that made one, and those that connected it. */
function createApplicationsOperations(deps: DashboardApplicationsDeps): readonly Operation[] {
  const { propagate, businesses, accounts, usage } = deps;
  const { database, prisma } = deps.storage;
  const applications = createApplicationStore(database, prisma);
  const connections = createConnectionReader(database, prisma);
  const findBusiness = businesses.find;
  return [
    ...applicationsOperations({ applications, hasher: accounts.hasher, propagate, findBusiness }),
    ...applicationUseOperations({ applications, connections, usage, findBusiness, now: Date.now }),
    ...connectedOperations({
      connections,
      usage,
      findBusiness,
      grants: createGrantStore(database, prisma),
      propagate,
    }),
  ];
}

interface DashboardInsightsDeps {
  readonly storage: Storage;
  readonly businesses: Pick<BusinessLookup, 'find'>;
  readonly usage: UsageReader;
  readonly supportEmail: string;
}

/** The dashboard's part that tells of a business and changes nothing: overview, requests, audit log. */
function createInsightOperations(deps: DashboardInsightsDeps): readonly Operation[] {
  const { database, prisma } = deps.storage;
  const findClients = createFindCallers(database, prisma);
  return [
    ...overviewOperations({
      overview: createOverviewReader(database, prisma),
      usage: deps.usage,
      findClients,
      findBusiness: deps.businesses.find,
    }),
    ...requestsOperations({
      requests: createRequestStore(database, prisma),
      findClients,
      supportEmail: deps.supportEmail,
    }),
    ...auditOperations({ auditLog: createAuditReader(database, prisma), now: Date.now }),
  ];
}

interface DashboardDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly accounts: Accounts;
  readonly streams: EventStreams;
  readonly logger: Logger;
  /** Undefined in an installation without webhook-service. */
  readonly webhooks: WebhookClient | undefined;
}

/** The API behind the dashboard, over everything that it works with. */
function createDashboardApi(deps: DashboardDeps): Router {
  const { config, storage, propagate, businesses, accounts, logger } = deps;
  const { database, prisma } = storage;
  const { people } = accounts;
  const freezes = createFreezeStore(database, prisma);
  const usage = createUsageReader(database, prisma);
  const supportEmail = config.SUPPORT_EMAIL ?? defaultSupportEmail(config.PUBLIC_URL);
  return dashboardApi({
    audience: dashboardAudience,
    gate: memberGate(people),
    people,
    streams: deps.streams,
    isLive: accounts.sessionStore.isLive,
    publicUrl: config.PUBLIC_URL,
    logger,
    operations: [
      ...sessionOperations({ people, findBusiness: businesses.find, freezes, supportEmail }),
      ...apiKeysOperations({
        ...accounts,
        keys: createApiKeyStore(database, prisma),
        propagate,
        businessExists: businesses.exists,
        usage,
      }),
      ...createApplicationsOperations({ ...deps, usage }),
      ...createInsightOperations({ ...deps, usage, supportEmail }),
      ...createBusinessOperations({ ...deps, usage }),
      ...freezeOperations({ freezes, propagate, people }),
      ...noticeOperations({ notices: createNoticeStore(database, prisma) }),
      ...limitRequestOperations({
        limitRequests: createLimitRequestStore(database, prisma),
        keys: createApiKeyStore(database, prisma),
        applications: createApplicationStore(database, prisma),
        notifyOperators: accounts.notifyOperators,
      }),
      ...webhooksOperations({
        ...accounts,
        isPassword: (personId, password) => isPasswordOf(accounts, personId, password),
        client: deps.webhooks,
        applications: createApplicationStore(database, prisma),
        subscriptions: createSubscriptionStore(database, prisma),
        keys: createApiKeyStore(database, prisma),
        audit: createAuditWriter(database, prisma),
      }),
    ],
  });
}

interface WebDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly tracer: Tracer | undefined;
  readonly logger: Logger;
  readonly propagate: Propagate;
  readonly businesses: BusinessLookup;
  readonly background: Background;
  readonly webhooks: WebhookClient | undefined;
  readonly streams: EventStreams;
  readonly failures: OAuthFailures;
}

/** Everything that identity-service serves over HTTP. */
export function createWeb(deps: WebDeps): Express {
  const { config, storage, registry, logger } = deps;
  const { database, prisma } = storage;
  const sessionStore = createSessionStore(database, prisma, {
    idleSeconds: config.SESSION_IDLE_SECONDS,
    totalSeconds: config.SESSION_SECONDS,
  });
  const sessions = createSessions({
    store: sessionStore,
    secrets: config.SESSION_SECRETS,
    publicUrl: config.PUBLIC_URL,
  });
  const throttle = createThrottle(database, prisma, config.THROTTLE_SCALE);
  const accounts = createAccounts({ ...deps, throttle, sessions, sessionStore });
  const authorizationServer = createAuthorizationServer({ ...deps, throttle });
  const dashboard = readDashboard(config.DASHBOARD_DIR);
  return createApp({
    gatewaySecrets: config.GATEWAY_SECRET,
    publicUrl: config.PUBLIC_URL,
    logger,
    registry,
    tracer: deps.tracer,
    sessions,
    endpoints: [
      ...(dashboard ? [dashboardAssets(dashboard)] : []),
      ...authorizationServer.endpoints,
      keysEndpoint({ client: deps.webhooks, throttle, logger }),
      logoEndpoint({ logos: createLogoStore(database, prisma), logger }),
    ],
    dashboardApi: createDashboardApi({ ...deps, accounts }),
    operatorsApi: createOperatorsApi({ ...deps, accounts }),
    oldForms: leadOnFromOldForms(accounts),
    pages: [
      frontPageRoutes(config.FRONT_PAGE_URL),
      ...peopleRoutes(accounts),
      ...authorizationServer.pages,
      dashboardPages(dashboard),
    ],
  });
}
