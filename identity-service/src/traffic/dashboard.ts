import { AppError } from '@platform/service-kit/values/app-error.ts';
import { z } from 'zod';
import { nextCursor, pageCursor, pageSize, readPage } from '../platform/pagination.ts';
import { givenInstant, instant, instantOrNull } from '../web/dashboard-api/fields.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import { explainRequest } from './explain.ts';
import { checks, decisionOf, describeCheck, type RequestWithClient } from './explanation.ts';
import { credentialTypes, type RequestRecord } from './request-log.ts';
import type { RequestStore } from './request-log-store.ts';
import type { RetiredStore } from './retired-store.ts';
import { type AddressUse, type Client, type FindClients, maxHourlySpanMs } from './usage.ts';

/** An API key or a connected application, as the dashboard API returns it. */
export const clientSchema = z
  .object({
    kind: z.enum(['api_key', 'application']),
    id: z.string().describe('Id of the API key or application.'),
    name: z
      .string()
      .nullable()
      .describe('null when it was deleted and its name is no longer known, after 90 days at the latest.'),
    exists: z.boolean().describe('Whether it still has access to the business.'),
    isOwn: z.boolean().describe('Whether the business owns it: its API key, or an app that it registered.'),
  })
  .meta({ id: 'Caller' });

/** Client as the dashboard API returns it. */
export function toClient({ kind, id, name, exists, isOwn }: Client): z.input<typeof clientSchema> {
  return { kind, id, name: name ?? null, exists, isOwn };
}

const collection = '/businesses/{businessId}/requests';

const credential = z
  .object({
    type: z
      .enum(credentialTypes)
      .describe('`client`: the application that a request to an OAuth endpoint names.'),
    id: z.string().describe('Id of the API key or access token, or the client ID.'),
    limitId: z
      .string()
      .nullable()
      .describe(
        'Id of the API key or Grant whose limit it counts against, or of the application of an OAuth request; the value of the filter `credential`.',
      ),
    caller: clientSchema.nullable(),
  })
  .meta({ id: 'RequestCredential' });

const requestFields = {
  id: z.string().describe('X-Request-Id of the response.'),
  at: instant,
  method: z.string(),
  path: z.string().describe('Without the query; anything that looks like a secret is masked.'),
  status: z.int(),
  reason: z
    .string()
    .nullable()
    .describe(
      'Refusal of the gateway, part of the request that is not valid (`invalid_query`), or cause of an OAuth error; null when the upstream refused or failed.',
    ),
  title: z.string().describe('The error in a few words.'),
  credential: credential.nullable().describe('null when it is unknown.'),
  clientIp: z.string(),
  requests: z
    .int()
    .describe('Requests that it stands for: more than 1 when too many failed at once to record each.'),
};

const apiRequest = z.object(requestFields).meta({ id: 'ApiRequest' });

const apiRequestDetail = z
  .object({
    ...requestFields,
    route: z.string().nullable().describe('Route of the path; null for unknown paths.'),
    requiredScope: z.string().nullable(),
    decision: z
      .array(
        z
          .object({
            check: z.enum(checks),
            outcome: z.enum(['passed', 'failed', 'not_reached']),
            words: z.string().describe('Statement that is true when the check passed.'),
          })
          .meta({ id: 'RequestCheck' }),
      )
      .describe('All checks of its endpoint, in their order.'),
    problem: z.string().describe('What went wrong.'),
    advice: z.string().describe('How to fix it.'),
    help: z.string().describe('Path of its documentation.'),
    publicError: z.string().nullable().describe('Error and description that an OAuth client was sent.'),
    secretLastFour: z.string().nullable().describe('Of the client secret that was sent.'),
    missingAddress: z
      .object({ applicationId: z.string(), address: z.string() })
      .nullable()
      .describe(
        'Address that was refused because the whitelist of this application of the business lacks it.',
      )
      .meta({ id: 'MissingAddress' }),
    remedy: z
      .object({
        page: z.enum(['api_key', 'api_keys', 'application', 'connected', 'business']),
        id: z.string().nullable(),
      })
      .nullable()
      .describe('Page of the dashboard where it can be fixed.')
      .meta({ id: 'RequestRemedy' }),
  })
  .meta({ id: 'ApiRequestDetail' });

/** Values of the filter `reason` that stand for a status, because responses of a service have no reason of the gateway. */
export const statusOfReason: Readonly<Record<string, number>> = {
  invalid_request: 400,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
};

const listRequests = declare({
  id: 'listRequests',
  method: 'GET',
  path: collection,
  summary: `Refused and failed API requests of the last 7 days, and failed OAuth requests of its applications, newest first; ${pageSize} a page.`,
  query: z
    .strictObject({
      cursor: pageCursor.optional(),
      status: z.enum(['4xx', '5xx'], 'must be 4xx or 5xx').optional(),
      reason: z
        .string()
        .regex(/^\w{1,64}$/, 'must be a reason such as insufficient_scope')
        .optional()
        .describe(
          `\`reason\` of requests, or for all with a status ${Object.keys(statusOfReason).join(', ')}.`,
        ),
      credential: z
        .string()
        .regex(/^[\w-]{1,64}$/, 'must be the id of a key or connection')
        .optional()
        .describe('`limitId` of a credential: an API key, a Grant or an application.'),
      from: givenInstant.optional().describe('Requests at or after this time.'),
      to: givenInstant.optional().describe('Requests before this time.'),
    })
    .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
      path: ['to'],
      error: 'must be after from',
    }),
  body: noBody,
  response: z.object({ requests: z.array(apiRequest), nextCursor }),
});

const getRequest = declare({
  id: 'getRequest',
  method: 'GET',
  path: `${collection}/{requestId}`,
  summary:
    'One refused or failed API or OAuth request by its X-Request-Id, with every check. Requests without a known credential are kept for a day.',
  query: none,
  body: noBody,
  response: apiRequestDetail,
});

export const requestsSpecs = [listRequests, getRequest];

type Listed = z.input<typeof listRequests.response>['requests'][number];

type Detail = z.input<typeof getRequest.response>;

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
    title: explainRequest(request).title,
    credential: credentialOf(request),
    clientIp: record.clientIp,
    requests: record.requests,
  };
}

/** Request with its explanation. */
function toRequestDetail(request: RequestWithClient): Detail {
  const { record } = request;
  const { problem, advice, anchor, remedy } = explainRequest(request);
  return {
    ...toListedRequest(request),
    route: record.route === 'none' ? null : record.route,
    requiredScope: record.requiredScope ?? null,
    decision: decisionOf(record).map((each) => ({ ...each, words: describeCheck(each.check, record) })),
    problem,
    advice,
    help: `/docs/errors#${anchor}`,
    publicError: record.publicError ?? null,
    secretLastFour: record.secretLastFour ?? null,
    missingAddress: missingAddressOf(request),
    remedy: remedy === undefined ? null : { page: remedy.page, id: remedy.id ?? null },
  };
}

const addressReasons: readonly (string | undefined)[] = ['ip_not_allowed', 'client_address'];

/** The refused address, if the business can add it to the whitelist: only the owner of an application can. */
function missingAddressOf({ record, client }: RequestWithClient): Detail['missingAddress'] {
  if (!addressReasons.includes(record.refusal) || client?.kind !== 'application') return null;
  return client.isOwn && client.exists ? { applicationId: client.id, address: record.clientIp } : null;
}

function credentialOf({ record, client }: RequestWithClient): Listed['credential'] {
  const { credentialType: type, credentialId: id, limitId } = record;
  if (type === undefined || id === undefined) return null;
  return { type, id, limitId: limitId ?? null, caller: client === undefined ? null : toClient(client) };
}

interface RequestsOperationsDeps {
  readonly requests: Pick<RequestStore, 'list' | 'find'>;
  readonly retired: Pick<RetiredStore, 'endsBefore'>;
  readonly findClients: FindClients;
  /** Address for questions. */
  readonly supportEmail: string;
}

/** Operations on refused and failed requests. */
export function requestsOperations(deps: RequestsOperationsDeps): Operation[] {
  const { requests, retired, findClients, supportEmail } = deps;
  return [
    businessOperation(listRequests, async ({ businessId, query }) => {
      const { cursor, status, reason, credential, ...span } = query;
      const ofStatus = statusOfReason[reason ?? ''];
      const why = ofStatus === undefined ? { refusal: reason } : { status: ofStatus };
      const filter = { ...span, limitId: credential, statusClass: status, ...why };
      const { entries, nextCursor } = await readPage(
        cursor,
        ({ at, id }: RequestRecord) => ({ at, id }),
        (page) => requests.list(businessId, { ...filter, ...page }),
      );
      const found = await withClients(findClients, businessId, entries);
      return { requests: found.map(toListedRequest), nextCursor };
    }),
    businessOperation(getRequest, async ({ businessId, param }) => {
      const record = await requests.find(businessId, param('requestId').toLowerCase());
      if (record === undefined) throw requestNotFound();
      const [request = { record, client: undefined }] = await withClients(findClients, businessId, [record]);
      const { credentialId, at } = record;
      const isRetired = record.refusal === 'unknown' && credentialId !== undefined;
      const ends = isRetired ? await retired.endsBefore(businessId, credentialId, at) : [];
      const detail = toRequestDetail({ ...request, ends });
      return { ...detail, advice: detail.advice.replace('{support}', supportEmail) };
    }),
  ];
}

async function withClients(
  findClients: FindClients,
  businessId: number,
  records: readonly RequestRecord[],
): Promise<RequestWithClient[]> {
  const limitIds = new Set(records.flatMap(({ limitId }) => limitId ?? []));
  const clients = await findClients(businessId, [...limitIds]);
  const byLimitId = new Map(clients.map((client) => [client.limitId, client]));
  return records.map((record) => ({ record, client: byLimitId.get(record.limitId ?? '') }));
}

function requestNotFound(): AppError {
  return new AppError(
    'not_found',
    'request_not_on_record',
    'no refused or failed request of this business has this id',
  );
}

const count = z.int().min(0);

/** Responses in one hour, by status class. */
export const usageHour = z
  .object({
    start: instant.describe('Start of the hour, UTC.'),
    count2xx: count.describe('Responses with status below 400.'),
    count4xx: count.describe('Responses with status 400 to 499 except 429.'),
    count429: count,
    count5xx: count,
  })
  .meta({ id: 'UsageHour' });

/** Requests from one address. */
export const addressUse = z
  .object({
    address: z.string().nullable().describe('null for all others together.'),
    requests: count,
    successes: count.describe('Responses with status below 400.'),
    lastSuccessAt: instantOrNull,
  })
  .meta({ id: 'AddressUse' });

/** Requests from an address; the empty address of all others together becomes null. */
export function toAddressUse({ address, ...use }: AddressUse): z.input<typeof addressUse> {
  return { ...use, address: address || null };
}

/** Query of operations that return counts by hour. */
export const hourlySpan = z
  .strictObject({
    from: givenInstant.describe('Hours that begin at or after this time.'),
    to: givenInstant.describe('Hours that begin before this time.'),
  })
  .refine(({ from, to }) => from < to, { path: ['to'], error: 'must be after from' })
  .refine(({ from, to }) => to - from <= maxHourlySpanMs, {
    path: ['from'],
    error: 'must be at most 90 days before to',
  });
