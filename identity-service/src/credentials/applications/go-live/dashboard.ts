import type { WebhookCalls } from '../../../clients/webhook.ts';
import { oauthPaths } from '../../../traffic/oauth-reason.ts';
import type { RequestFilter, RequestLog } from '../../../traffic/request-log.ts';
import { businessOperation, type Operation } from '../../../web/dashboard-api/operation.ts';
import type { Application } from '../application.ts';
import { getApplication } from '../operations.ts';
import type { ApplicationStore } from '../store.ts';
import * as specs from './dashboard-schema.ts';
import { type OnRecord, stepsOf } from './step.ts';
import type { GoLiveStore } from './store.ts';

interface GoLiveDeps {
  readonly applications: ApplicationStore;
  readonly goLive: GoLiveStore;
  readonly requests: Pick<RequestLog, 'list'>;
  /** Undefined in an installation without webhook-service. */
  readonly client: Pick<WebhookCalls, 'listEndpoints'> | undefined;
}

/** Steps before an application goes live, for its publisher. */
export function goLiveOperations(deps: GoLiveDeps): Operation[] {
  return [
    businessOperation(specs.listGoLiveSteps, async ({ businessId, param }) => {
      const reference = { businessId, applicationId: param('applicationId') };
      return { steps: stepsOf(await readRecord(deps, await getApplication(deps, reference))) };
    }),
  ];
}

async function readRecord(
  { goLive, requests, client }: GoLiveDeps,
  { id, businessId, redirectUris, ipWhitelist }: Application,
): Promise<OnRecord> {
  const isListed = async (filter: RequestFilter) => {
    const found = await requests.list(businessId, { limitId: id, ...filter, limit: 1, after: undefined });
    return found.length > 0;
  };
  const [hasToken, hasRefreshed, hasRevoked, hasExposedSecret, endpoints] = await Promise.all([
    isListed({ route: oauthPaths.token, statusClass: '2xx' }),
    goLive.hasRefreshed(id),
    isListed({ route: oauthPaths.revoke, statusClass: '2xx' }),
    isListed({ refusal: 'plain_http' }),
    client?.listEndpoints({ businessId, applicationId: id }),
  ]);
  return {
    ...{ redirectUris, ipWhitelist, hasRefreshed, hasRevoked, hasExposedSecret },
    // A refresh comes after a connection, which may be older than the log.
    hasConnected: hasToken || hasRefreshed,
    endpoints: endpoints ?? [],
  };
}
