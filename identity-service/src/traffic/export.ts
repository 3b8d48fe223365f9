import { formatTime } from '../platform/text.ts';
import { toCsv } from '../web/dashboard-api/csv.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import { clientsOf, filterOf, titleOf, toGroup, withClients } from './dashboard.ts';
import { exportRequestGroups, exportRequests, maxExportedRequests } from './dashboard-schema.ts';
import type { RequestWithClient } from './explanation.ts';
import type { RequestLog } from './request-log.ts';
import type { FindClients } from './usage.ts';

const requestColumns = [
  'time',
  'request_id',
  'method',
  'path',
  'route',
  'status',
  'reason',
  'title',
  'error',
  'key_or_app',
  'credential_id',
  'address',
  'duration_ms',
  'service_ms',
  'response_bytes',
  'user_agent',
];

const groupColumns = [
  'method',
  'route',
  'status',
  'reason',
  'title',
  'key_or_app',
  'credential_id',
  'requests',
  'first',
  'last',
  'last_request_id',
];

function toRow(request: RequestWithClient): string[] {
  const { record, client } = request;
  return [
    formatTime(record.at),
    record.id,
    record.method,
    record.path,
    record.route,
    String(record.status),
    record.refusal ?? '',
    titleOf(request),
    record.error ?? '',
    client?.name ?? '',
    record.credentialId ?? '',
    record.clientIp,
    record.durationMs.toFixed(2),
    String(record.upstreamMs ?? ''),
    String(record.responseBytes),
    record.userAgent,
  ];
}

function toGroupRow({ credential, ...group }: ReturnType<typeof toGroup>): string[] {
  return [
    group.method,
    group.route ?? 'none',
    String(group.status),
    group.reason ?? '',
    group.title,
    credential?.caller?.name ?? '',
    credential?.limitId ?? '',
    String(group.requests),
    formatTime(group.firstAt),
    formatTime(group.lastAt),
    group.lastId,
  ];
}

interface RequestExportsDeps {
  readonly requests: Pick<RequestLog, 'list' | 'groups'>;
  readonly findClients: FindClients;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Exports of the log of requests. Times are RFC 3339 in UTC. */
export function requestExports({ requests, findClients, now }: RequestExportsDeps): Operation[] {
  const attachment = (name: string) => `attachment; filename="${name}-${formatTime(now()).slice(0, 10)}.csv"`;
  return [
    businessOperation(exportRequests, async ({ businessId, query: { from, to, ...filter }, res }) => {
      const page = { limit: maxExportedRequests + 1, after: undefined };
      const found = await requests.list(businessId, { ...filterOf(filter), from, to, ...page });
      const newest = await withClients(findClients, businessId, found.slice(0, maxExportedRequests));
      const isPartial = found.length > maxExportedRequests;
      const name = isPartial ? `requests-newest-${maxExportedRequests}` : 'requests';
      res.set('Content-Disposition', attachment(name));
      return toCsv([requestColumns, ...newest.map(toRow)]);
    }),
    businessOperation(exportRequestGroups, async ({ businessId, query: { from, to, ...filter }, res }) => {
      const groups = await requests.groups(businessId, { ...filterOf(filter), from, to });
      const clients = await clientsOf(findClients, businessId, groups);
      res.set('Content-Disposition', attachment('request-groups'));
      return toCsv([
        groupColumns,
        ...groups.map((group) => toGroupRow(toGroup(group, clients.get(group.limitId ?? '')))),
      ]);
    }),
  ];
}
