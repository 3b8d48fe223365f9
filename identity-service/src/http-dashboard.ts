import type { Router } from 'express';
import { auditOperations } from './audit/dashboard.ts';
import { noticeOperations } from './audit/notices/dashboard.ts';
import {
  businessOperations,
  creationOperations,
  customerOperations,
  freezeOperations,
  recordOperations,
  sessionOperations,
} from './businesses/dashboard.ts';
import { overviewOperations } from './businesses/overview/dashboard.ts';
import { sandboxOperations } from './businesses/sandboxes/dashboard.ts';
import { apiKeysOperations } from './credentials/api-keys/dashboard.ts';
import { applicationsOperations, applicationUseOperations } from './credentials/applications/dashboard.ts';
import { goLiveOperations } from './credentials/applications/go-live/dashboard.ts';
import { problemOperations } from './credentials/applications/problems/dashboard.ts';
import { forecastOperations } from './credentials/forecasts/dashboard.ts';
import { connectedOperations } from './credentials/grants/dashboard.ts';
import { keyLifetimeOperations } from './credentials/key-lifetimes/dashboard.ts';
import { requestLogDays } from './housekeeping/partitions.ts';
import type { Accounts } from './http-accounts.ts';
import { leakOperations } from './leaks/dashboard.ts';
import { limitRequestOperations } from './operators/limit-requests/dashboard.ts';
import { deletionOperations } from './people/account-deletion/dashboard.ts';
import { emailChangeOperations } from './people/email-change/dashboard.ts';
import { isPasswordOf } from './people/password.ts';
import { profileOperations } from './people/profile/dashboard.ts';
import { passkeyOperations } from './people/profile/passkeys/dashboard.ts';
import { requirementOperations } from './people/required-factor/dashboard.ts';
import { invitationOperations, teamOperations } from './people/team/dashboard.ts';
import { keptDays } from './traffic/clickhouse/tables-store.ts';
import { requestsOperations } from './traffic/dashboard.ts';
import { requestExports } from './traffic/export.ts';
import { retiredOperations } from './traffic/retired-dashboard.ts';
import { dashboardApi, memberGate } from './web/dashboard-api/api.ts';
import type { EventStreams } from './web/dashboard-api/event-streams.ts';
import { dashboardAudience } from './web/dashboard-api/openapi.ts';
import { webhooksOperations } from './webhooks/dashboard.ts';

/** For how long requests are in the log: that of PostgreSQL, or of ClickHouse. */
function requestsKeptBy({ REQUEST_LOG_URL, REQUEST_LOG_PER_BUSINESS: newest }: Accounts['config']) {
  return REQUEST_LOG_URL === undefined ? { days: requestLogDays, newest } : { days: keptDays, newest: null };
}

/** The API behind the dashboard. */
export function createDashboardApi(parts: Accounts & { readonly streams: EventStreams }): Router {
  const { config, people, webhooks: client } = parts;
  const isPassword = (personId: string, password: string) => isPasswordOf(parts, personId, password);
  const maySandbox = config.SANDBOXES === 'on';
  const deps = { ...parts, client, isPassword, maySandbox, requestsKept: requestsKeptBy(config) };
  return dashboardApi({
    ...deps,
    audience: dashboardAudience,
    gate: memberGate(people),
    isLive: parts.sessionStore.isLive,
    operations: [
      ...sessionOperations(deps),
      ...apiKeysOperations(deps),
      ...keyLifetimeOperations(deps),
      ...applicationsOperations(deps),
      ...applicationUseOperations(deps),
      ...problemOperations(deps),
      ...goLiveOperations(deps),
      ...connectedOperations(deps),
      ...forecastOperations(deps),
      ...overviewOperations(deps),
      ...requestsOperations(deps),
      ...requestExports(deps),
      ...retiredOperations(deps),
      ...auditOperations(deps),
      ...businessOperations(deps),
      ...creationOperations(deps),
      ...sandboxOperations(deps),
      ...recordOperations(deps),
      ...customerOperations(deps),
      ...teamOperations(deps),
      ...invitationOperations(deps),
      ...profileOperations(deps),
      ...passkeyOperations(deps),
      ...emailChangeOperations(deps),
      ...deletionOperations(deps),
      ...requirementOperations(deps),
      ...freezeOperations(deps),
      ...leakOperations(deps),
      ...noticeOperations(deps),
      ...limitRequestOperations(deps),
      ...webhooksOperations(deps),
    ],
  });
}
