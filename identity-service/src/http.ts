import { createPublicKey } from 'node:crypto';
import type { Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import type { Express } from 'express';
import { logoEndpoint } from './businesses/logos/logo-endpoint.ts';
import { passportKeysEndpoint } from './credentials/authorization/passport-keys-endpoint.ts';
import { type AccountsDeps, createAccounts, peopleRoutes } from './http-accounts.ts';
import { createDashboardApi } from './http-dashboard.ts';
import { createLeakEndpoints } from './http-leaks.ts';
import { createAuthorizationServer } from './http-oauth.ts';
import { createOperatorsApi } from './http-operators.ts';
import { leadOnFromOldForms } from './people/pages/old-login-form.ts';
import { promisesEndpoint } from './promises/promises-endpoint.ts';
import { promisesPage } from './promises/promises-page.ts';
import { createPromisesReader } from './promises/read-promises.ts';
import { createDocumentSigner } from './promises/signature.ts';
import type { OAuthCalls } from './traffic/oauth-calls.ts';
import { createApp } from './web/app.ts';
import type { EventStreams } from './web/dashboard-api/event-streams.ts';
import { dashboardAssets, dashboardPages, readDashboard } from './web/dashboard-app.ts';
import { frontPageRoutes } from './web/front-page.ts';
import { keysEndpoint } from './webhooks/keys-endpoint.ts';

interface WebDeps extends AccountsDeps {
  readonly tracer: Tracer | undefined;
  readonly streams: EventStreams;
  readonly oauthLog: OAuthCalls;
}

/** Everything that identity-service serves over HTTP. */
export function createWeb(deps: WebDeps): Express {
  const { config } = deps;
  const parts = { ...deps, ...createAccounts(deps) };
  const authorizationServer = createAuthorizationServer(parts);
  const dashboard = readDashboard(config.DASHBOARD_DIR);
  const promises = createPromisesRoutes(deps);
  return createApp({
    ...parts,
    gatewaySecrets: config.GATEWAY_SECRET,
    internal: passportKeysEndpoint([
      createPublicKey(config.PASSPORT_PRIVATE_KEY),
      ...config.PASSPORT_PUBLIC_KEYS,
    ]),
    endpoints: [
      ...(dashboard ? [dashboardAssets(dashboard)] : []),
      ...authorizationServer.endpoints,
      ...createLeakEndpoints(parts),
      keysEndpoint({ ...parts, client: deps.webhooks }),
      logoEndpoint(parts),
      ...promises.endpoints,
    ],
    dashboardApi: createDashboardApi(parts),
    operatorsApi: createOperatorsApi(parts),
    oldForms: leadOnFromOldForms(parts),
    pages: [
      frontPageRoutes({ elsewhere: config.FRONT_PAGE_URL, showsPromises: config.PUBLIC_PROMISES === 'on' }),
      ...promises.pages,
      ...peopleRoutes(parts),
      ...authorizationServer.pages,
      dashboardPages(dashboard),
    ],
  });
}

/** The page of the promises and its document, where the operator shows them. */
function createPromisesRoutes({ config, promises, logger }: WebDeps) {
  if (config.PUBLIC_PROMISES === 'off') return { endpoints: [], pages: [] };
  const readPromises = createPromisesReader(promises);
  const signer = createDocumentSigner(config.PASSPORT_PRIVATE_KEY);
  return {
    endpoints: [promisesEndpoint({ readPromises, signer, publicUrl: config.PUBLIC_URL, logger })],
    pages: [promisesPage(readPromises)],
  };
}
