import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { z } from 'zod';
import { readPage } from '../platform/pagination.ts';
import { maxInstant } from '../platform/text.ts';
import { businessOperation, type Operation, personOperation } from '../web/dashboard-api/operation.ts';
import {
  type FilterQuery,
  getRequest,
  listDurations,
  listRequestGroups,
  listRequestReasons,
  listRequests,
} from './dashboard-schema.ts';
import { explainGroup, explainRequest } from './explain.ts';
import { describeSuccess } from './explain-oauth.ts';
import { decisionOf, describeCheck, hasFailed, type RequestWithClient } from './explanation.ts';
import { conditionsOf, listReasons } from './reasons.ts';
import type { RequestFilter, RequestGroup, RequestLog, RequestRecord, StatusClass } from './request-log.ts';
import type { RetiredStore } from './retired-store.ts';
import type { Client, FindClients } from './usage.ts';
import { toClient } from './usage-fields.ts';

type Listed = z.input<typeof listRequests.response>['requests'][number];

type Detail = z.input<typeof getRequest.response>;

const routeOrNull = (route: string) => (route === 'none' ? null : route);

/** Why a request was refused or failed, or that it succeeded, in a few words. */
export const titleOf = (request: RequestWithClient) =>
  hasFailed(request.record) ? explainRequest(request).title : describeSuccess(request.record);

/** Request in a list. */
function toListedRequest(request: RequestWithClient): Listed {
  const { record } = request;
  return {
    id: record.id,
    at: record.at,
    method: record.method,
    path: record.path,
    status: record.status,
    reason: record.refusal ?? null,
    title: titleOf(request),
    credential: credentialOf(request),
    clientIp: record.clientIp,
    durationMs: record.durationMs,
  };
}

/** Request with its explanation. @param supportEmail address for questions */
export function toRequestDetail(request: RequestWithClient, supportEmail: string): Detail {
  const { record } = request;
  const explained = hasFailed(record) ? explainRequest(request) : undefined;
  const { remedy } = explained ?? {};
  return {
    ...toListedRequest(request),
    route: routeOrNull(record.route),
    upstreamMs: record.upstreamMs ?? null,
    responseBytes: record.responseBytes,
    userAgent: record.userAgent,
    error: record.error ?? null,
    requiredScope: record.requiredScope ?? null,
    decision: decisionOf(record).map((each) => ({ ...each, words: describeCheck(each.check, record) })),
    explanation:
      explained === undefined
        ? null
        : {
            problem: explained.problem,
            advice: explained.advice.replace('{support}', supportEmail),
            help: `/docs/errors#${explained.anchor}`,
          },
    secretLastFour: record.secretLastFour ?? null,
    missingAddress: missingAddressOf(request),
    remedy: remedy === undefined ? null : { page: remedy.page, id: remedy.id ?? null },
  };
}

const addressReasons: readonly (string | undefined)[] = ['ip_not_allowed', 'client_address'];

/** The refused address, if the business can add it to the whitelist: that of its key, or of an application that it owns. */
function missingAddressOf({ record, client }: RequestWithClient): Detail['missingAddress'] {
  if (!addressReasons.includes(record.refusal) || client === undefined) return null;
  const { kind, id, isOwn, exists } = client;
  return isOwn && exists ? { kind, id, address: record.clientIp } : null;
}

function credentialOf({ record, client }: RequestWithClient): Listed['credential'] {
  const { credentialType: type, credentialId: id, limitId } = record;
  if (type === undefined || id === undefined) return null;
  return { type, id, limitId: limitId ?? null, caller: client === undefined ? null : toClient(client) };
}

type Group = z.input<typeof listRequestGroups.response>['groups'][number];

/** A group with its words. @param client undefined when it is unknown */
export function toGroup(group: RequestGroup, client: Client | undefined): Group {
  const { method, route, status, refusal, limitId, ...counts } = group;
  return {
    method,
    route: routeOrNull(route),
    status,
    reason: refusal ?? null,
    title: explainGroup(group, client).title,
    credential:
      limitId === undefined ? null : { limitId, caller: client === undefined ? null : toClient(client) },
    ...counts,
    trend: [...counts.trend],
  };
}

interface RequestsOperationsDeps {
  readonly requests: Omit<RequestLog, 'add' | 'findAny'>;
  readonly retired: Pick<RetiredStore, 'endsBefore'>;
  readonly findClients: FindClients;
  /** Address for questions. */
  readonly supportEmail: string;
}

const isClass = (text: string): text is StatusClass => text.endsWith('xx');

/** Which requests a query asks for. */
export function filterOf({ status = '', reason, credential, address, ...rest }: FilterQuery): RequestFilter {
  return {
    ...rest,
    limitId: credential,
    clientIp: address,
    ...(isClass(status) ? { statusClass: status } : status !== '' && { status: Number(status) }),
    ...conditionsOf(reason),
  };
}

/** Operations on the log of requests. */
export function requestsOperations(deps: RequestsOperationsDeps): Operation[] {
  const { requests, retired, findClients, supportEmail } = deps;
  return [
    personOperation(listRequestReasons, () => ({ reasons: listReasons() })),
    businessOperation(listRequests, async ({ businessId, query }) => {
      const { cursor, from, to, ...filter } = query;
      const { entries, nextCursor } = await readPage(
        cursor,
        ({ at, id }: RequestRecord) => ({ at, id }),
        (page) => requests.list(businessId, { ...filterOf(filter), from, to, ...page }),
      );
      const last = entries.at(-1);
      const shown = {
        from: (nextCursor === null ? undefined : last?.at) ?? from ?? 0,
        to: (cursor?.at ?? to ?? maxInstant) + 1,
      };
      const unlisted = await requests.unlisted(businessId, shown);
      const found = await withClients(findClients, businessId, entries);
      return {
        requests: found.map(toListedRequest),
        nextCursor,
        unlisted: unlisted.map(({ minute, requests: count }) => ({ minute, requests: count })),
      };
    }),
    businessOperation(listRequestGroups, async ({ businessId, query: { from, to, ...filter } }) => {
      const groups = await requests.groups(businessId, { ...filterOf(filter), from, to });
      const clients = await clientsOf(findClients, businessId, groups);
      return { groups: groups.map((group) => toGroup(group, clients.get(group.limitId ?? ''))) };
    }),
    businessOperation(listDurations, async ({ businessId, query: { from, to, ...filter } }) => {
      const durations = await requests.durations(businessId, { ...filterOf(filter), from, to });
      return { durations: durations.map((each) => ({ ...each, route: routeOrNull(each.route) })) };
    }),
    businessOperation(getRequest, async ({ businessId, param }) => {
      const record = await requests.find(businessId, param('requestId').toLowerCase());
      if (record === undefined) throw requestNotFound();
      const [request = { record, client: undefined }] = await withClients(findClients, businessId, [record]);
      return toRequestDetail({ ...request, ends: await endsOf({ retired }, record) }, supportEmail);
    }),
  ];
}

/** When the strings of a retired credential ended, before the request; none for any other request. */
export async function endsOf(
  { retired }: Pick<RequestsOperationsDeps, 'retired'>,
  { businessId, credentialId, refusal, at }: RequestRecord,
): Promise<NonNullable<RequestWithClient['ends']>> {
  if (refusal !== 'unknown' || businessId === undefined || credentialId === undefined) return [];
  return retired.endsBefore(businessId, credentialId, at);
}

/** Requests with those who sent them. */
export async function withClients(
  findClients: FindClients,
  businessId: number,
  records: readonly RequestRecord[],
): Promise<RequestWithClient[]> {
  const clients = await clientsOf(findClients, businessId, records);
  return records.map((record) => ({ record, client: clients.get(record.limitId ?? '') }));
}

/** Clients of requests, by their limit ids. */
export async function clientsOf(
  findClients: FindClients,
  businessId: number,
  requests: readonly Pick<RequestRecord, 'limitId'>[],
): Promise<ReadonlyMap<string, Client>> {
  const limitIds = new Set(requests.flatMap(({ limitId }) => limitId ?? []));
  const clients = await findClients(businessId, [...limitIds]);
  return new Map(clients.map((client) => [client.limitId, client]));
}

function requestNotFound(): AppError {
  return new AppError('not_found', 'request_not_on_record', 'no request of this business has this id');
}
