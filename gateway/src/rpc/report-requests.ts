import type { Logger } from '@platform/service-kit/logger.ts';
import { Counter, type Registry } from '@platform/service-kit/metrics.ts';
import { redactPath } from '@platform/service-kit/redact-path.ts';
import type { FailedRequest, RequestBook } from '../requests/request-book.ts';
import type { UsageClient } from './report-usage.ts';
import { type Reporter, startReporter } from './reporter.ts';

/** Records in one batch. */
const maxBatch = 500;
const deadlineMs = 2_000;
/** Characters of a path that are kept. */
const maxPath = 200;

/** Reports failed requests, and says how many there was no room for. */
export function startRequestReporter(
  client: UsageClient,
  book: RequestBook,
  everyMs: number,
  registry: Registry,
  logger: Logger,
): Reporter {
  const dropped = new Counter({
    name: 'gateway_request_records_dropped_total',
    help: 'Failed requests that were not recorded, because too many waited',
    registers: [registry],
  });
  return startReporter({
    name: 'requests',
    take: () => {
      tellDropped(book.takeDropped(), dropped, logger);
      const records = book.take(maxBatch).map(toRecord);
      return records.length === 0 ? undefined : { records };
    },
    send: (batch) => client.rpc.RecordRequests(batch, { deadlineMs }),
    everyMs,
    logger,
  });
}

function tellDropped(count: number, dropped: Counter, logger: Logger): void {
  if (count === 0) return;
  dropped.inc(count);
  logger.warn({ count }, 'failed requests were not recorded');
}

function toRecord(request: FailedRequest) {
  const { principal } = request;
  return {
    requestId: request.requestId,
    atUnixMs: request.at,
    method: request.method,
    path: redactPath(request.path).slice(0, maxPath),
    route: request.route,
    status: request.status,
    refusal: request.refusal ?? '',
    businessId: principal?.businessId ?? 0,
    credentialType: principal?.credentialType ?? 'CREDENTIAL_TYPE_UNSPECIFIED',
    credentialId: principal?.credentialId ?? '',
    limitId: principal?.limitId ?? '',
    clientIp: request.clientIp,
    requiredScope: request.requiredScope,
  } as const;
}
