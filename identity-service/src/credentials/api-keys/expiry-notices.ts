import { startLoop } from '@platform/service-kit/process/loop.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { NewEvent } from '../../audit/events/event.ts';
import type { ApiScopes } from '../../platform/scope.ts';
import { formatTime } from '../../platform/text.ts';
import { type ApiKey, grantedScopes } from './api-key.ts';
import type { ApiKeyStore, NoticeStep } from './store.ts';

/** The event of a key that expires soon, or has expired. */
export function expiryEvent(
  apiScopes: ApiScopes,
  type: 'api_key.expiring' | 'api_key.expired',
  key: ApiKey,
): NewEvent {
  const { id, businessId, name, keyType, createdAt, expiresAt } = key;
  const times = {
    created_at: formatTime(createdAt),
    expires_at: expiresAt === undefined ? null : formatTime(expiresAt),
  };
  const data = { id, name, key_type: keyType, scopes: grantedScopes(apiScopes, key), ...times };
  return { businessId, type, applicationId: null, data };
}

/**
 * Steps of every key. Their spans do not overlap, so that after a downtime only the latest step is announced. An
 * expiration is announced for up to 30 days, which is as far as a feed goes back by default.
 */
export const noticeSteps: readonly NoticeStep[] = [
  { days: 14, until: 3 },
  { days: 3, until: 1 },
  { days: 1, until: 0 },
  { days: 0, until: -30 },
];

/** Keys of one transaction. */
const batchSize = 100;

interface ExpiryNoticesDeps {
  readonly keys: ApiKeyStore;
  readonly apiScopes: ApiScopes;
  readonly logger: Logger;
}

/** Records an event for every key that has reached a step, once for each step and expiration. */
async function recordNotices({ keys, apiScopes }: ExpiryNoticesDeps, signal: AbortSignal): Promise<void> {
  for (let recorded = batchSize; recorded === batchSize && !signal.aborted; ) {
    recorded = await keys.inTransaction(async (transaction) => {
      const due = await transaction.claimNotices(noticeSteps, batchSize);
      for (const { key, days } of due) {
        const type = days === 0 ? 'api_key.expired' : 'api_key.expiring';
        await transaction.insertEvent(expiryEvent(apiScopes, type, key));
      }
      return due.length;
    });
  }
}

/** Milliseconds between two rounds. */
const roundMs = 5_000;

/** Announces expirations, as long as the service runs. */
export function startExpiryNotices(deps: ExpiryNoticesDeps, resources: AsyncDisposableStack): void {
  const loop = startLoop({
    name: 'expiry notices',
    everyMs: roundMs,
    round: (signal) => recordNotices(deps, signal),
    logger: deps.logger,
  });
  resources.defer(loop.stop);
}
