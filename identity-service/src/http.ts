import type { Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import type { Express } from 'express';
import { logoEndpoint } from './businesses/logos/logo-endpoint.ts';
import { type AccountsDeps, createAccounts, peopleRoutes } from './http-accounts.ts';
import { createDashboardApi } from './http-dashboard.ts';
import { createLeakEndpoints } from './http-leaks.ts';
import { createAuthorizationServer } from './http-oauth.ts';
import { createOperatorsApi } from './http-operators.ts';
import { leadOnFromOldForms } from './people/pages/old-login-form.ts';
import type { OAuthFailures } from './traffic/oauth-failures.ts';
import { createApp } from './web/app.ts';
import type { EventStreams } from './web/dashboard-api/event-streams.ts';
import { dashboardAssets, dashboardPages, readDashboard } from './web/dashboard-app.ts';
import { frontPageRoutes } from './web/front-page.ts';
import { keysEndpoint } from './webhooks/keys-endpoint.ts';

interface WebDeps extends AccountsDeps {
  readonly tracer: Tracer | undefined;
  readonly streams: EventStreams;
  readonly failures: OAuthFailures;
}

/** Everything that identity-service serves over HTTP. */
export function createWeb(deps: WebDeps): Express {
  const { config } = deps;
  const parts = { ...deps, ...createAccounts(deps) };
  const authorizationServer = createAuthorizationServer(parts);
  const dashboard = readDashboard(config.DASHBOARD_DIR);
  return createApp({
    ...parts,
    gatewaySecrets: config.GATEWAY_SECRET,
    endpoints: [
      ...(dashboard ? [dashboardAssets(dashboard)] : []),
      ...authorizationServer.endpoints,
      ...createLeakEndpoints(parts),
      keysEndpoint({ ...parts, client: deps.webhooks }),
      logoEndpoint(parts),
    ],
    dashboardApi: createDashboardApi(parts),
    operatorsApi: createOperatorsApi(parts),
    oldForms: leadOnFromOldForms(parts),
    pages: [
      frontPageRoutes(config.FRONT_PAGE_URL),
      ...peopleRoutes(parts),
      ...authorizationServer.pages,
      dashboardPages(dashboard),
    ],
  });
}
