import { AppError } from '@platform/service-kit/app-error.ts';
import { z } from 'zod';
import { nextCursor, pageCursor, pageSize, readPage } from '../platform/pagination.ts';
import { givenInstant, instant, instantOrNull } from '../web/dashboard-api/fields.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import { explainRequest } from './explain.ts';
import { checks, describeCheck, decisionOf, type RequestWithClient } from './explanation.ts';
import type { RequestRecord } from './request-log.ts';
import type { RequestStore } from './request-log-store.ts';
import { type AddressUse, type Client, type FindClients, maxHourlySpanMs } from './usage.ts';

/** An API key or a connected application. */
export const clientSchema = z
  .object({
    kind: z.enum(['api_key', 'application']),
    id: z.string().describe('The API key or the application.'),
    name: z.string().nullable().describe('null where it is gone.'),
    exists: z.boolean().describe('Whether it may still act for the business.'),
    isOwn: z
      .boolean()
      .describe('Whether the business looks after it: its key, or an app that it has registered.'),
  })
  .meta({ id: 'Caller' });

export function toClient({ kind, id, name, exists, isOwn }: Client): z.input<typeof clientSchema> {
  return { kind, id, name: name ?? null, exists, isOwn };
}

const all = '/businesses/{businessId}/requests';

const credential = z
  .object({
    type: z.enum(['secret_key', 'restricted_key', 'access_token']),
    id: z.string().describe('Of the key or the access token itself.'),
    limitId: z.string().nullable().describe('What it is counted under; narrows the list as `credential`.'),
    caller: clientSchema.nullable(),
  })
  .meta({ id: 'RequestCredential' });

const requestFields = {
  id: z.string().describe('The X-Request-Id of its answer.'),
  at: instant,
  method: z.string(),
  path: z.string().describe('Without its query; what looks like a secret is left out.'),
  status: z.int(),
  reason: z.string().nullable().describe('Why the gateway refused it; null when the service behind it did.'),
  title: z.string().describe('The same in a few plain words.'),
  credential: credential.nullable().describe('null when it is unknown.'),
  clientIp: z.string(),
};

const apiRequest = z.object(requestFields).meta({ id: 'ApiRequest' });

const apiRequestDetail = z
  .object({
    ...requestFields,
    route: z.string().nullable().describe('Row of the route table; null for paths without one.'),
    requiredScope: z.string().nullable(),
    decision: z
      .array(
        z
          .object({
            check: z.enum(checks),
            outcome: z.enum(['passed', 'failed', 'not_reached']),
            words: z.string().describe('What holds when it is passed.'),
          })
          .meta({ id: 'RequestCheck' }),
      )
      .describe('Check by check, in the order in which they are made.'),
    problem: z.string().describe('What went wrong.'),
    advice: z.string().describe('What to do about it.'),
    help: z.string().describe('Path of the documentation about it.'),
    remedy: z
      .object({
        page: z.enum(['api_key', 'api_keys', 'application', 'connected', 'business']),
        id: z.string().nullable(),
      })
      .nullable()
      .describe('Page of the dashboard where it is mended.')
      .meta({ id: 'RequestRemedy' }),
  })
  .meta({ id: 'ApiRequestDetail' });

const listRequests = declare({
  id: 'listRequests',
  method: 'GET',
  path: all,
  summary: `Refused and failed API requests of the last 7 days, newest first; ${pageSize} a page.`,
  query: z
    .strictObject({
      cursor: pageCursor.optional(),
      status: z.enum(['4xx', '5xx'], 'must be 4xx or 5xx').optional(),
      reason: z
        .string()
        .regex(/^\w{1,64}$/, 'must be a word such as insufficient_scope')
        .optional(),
      credential: z
        .string()
        .regex(/^[\w-]{1,64}$/, 'must be the id of a key or connection')
        .optional()
        .describe('The `limitId` of a credential: an API key, or the connection of an application.'),
      from: givenInstant.optional().describe('Requests of this moment or later.'),
      to: givenInstant.optional().describe('Requests before this moment.'),
    })
    .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
      path: ['to'],
      error: 'must be after from',
    }),
  body: noBody,
  answer: z.object({ requests: z.array(apiRequest), nextCursor }),
});

const getRequest = declare({
  id: 'getRequest',
  method: 'GET',
  path: `${all}/{requestId}`,
  summary:
    'One refused or failed API request by its X-Request-Id, with the decision check by check. Also one whose credential is unknown: that is kept for a day.',
  query: none,
  body: noBody,
  answer: apiRequestDetail,
});

export const requestsSpecs = [listRequests, getRequest];

type Listed = z.input<typeof listRequests.answer>['requests'][number];

type Detail = z.input<typeof getRequest.answer>;

/** A request as the list shows it. */
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
  };
}

/** A request as its own page shows it. */
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
    remedy: remedy === undefined ? null : { page: remedy.page, id: remedy.id ?? null },
  };
}

function credentialOf({ record, client }: RequestWithClient): Listed['credential'] {
  const { credentialType: type, credentialId: id, limitId } = record;
  if (type === undefined || id === undefined) return null;
  return { type, id, limitId: limitId ?? null, caller: client === undefined ? null : toClient(client) };
}

interface RequestsOperationsDeps {
  readonly requests: Pick<RequestStore, 'list' | 'find'>;
  readonly findClients: FindClients;
}

export function requestsOperations({ requests, findClients }: RequestsOperationsDeps): Operation[] {
  return [
    businessOperation(listRequests, async ({ businessId, query }) => {
      const { cursor, status, reason, credential, ...span } = query;
      const filter = { ...span, limitId: credential, statusClass: status, refusal: reason };
      const { entries, nextCursor } = await readPage(
        cursor,
        ({ at, id }: RequestRecord) => ({ at, id }),
        (page) => requests.list(businessId, { ...filter, ...page }),
      );
      const known = await withClients(findClients, businessId, entries);
      return { requests: known.map(toListedRequest), nextCursor };
    }),
    businessOperation(getRequest, async ({ businessId, param }) => {
      const record = await requests.find(businessId, param('requestId').toLowerCase());
      if (record === undefined) throw notOnRecord();
      const [known = { record, client: undefined }] = await withClients(findClients, businessId, [record]);
      return toRequestDetail(known);
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

function notOnRecord(): AppError {
  return new AppError(
    'not_found',
    'request_not_on_record',
    'no refused or failed request of this business with this id is on record',
  );
}

const count = z.int().min(0);

/** Answers of one hour, by class. Hours without a request are left out. */
export const usageHour = z
  .object({
    start: instant.describe('Start of the hour, UTC.'),
    count2xx: count.describe('Answers below 400.'),
    count4xx: count.describe('Answers 400 to 499 but 429.'),
    count429: count,
    count5xx: count,
  })
  .meta({ id: 'UsageHour' });

/** What came from one address. */
export const addressUse = z
  .object({
    address: z.string().nullable().describe('null for all others together.'),
    requests: count,
    successes: count.describe('Answers below 400.'),
    lastSuccessAt: instantOrNull,
  })
  .meta({ id: 'AddressUse' });

/** What gateways did not tell apart stands under an empty text. */
export function toAddressUse({ address, ...use }: AddressUse): z.input<typeof addressUse> {
  return { ...use, address: address || null };
}

/** Query of an operation that counts by the hour. */
export const hourlySpan = z
  .strictObject({
    from: givenInstant.describe('The hours that begin at this moment or later.'),
    to: givenInstant.describe('The hours that begin before this moment.'),
  })
  .refine(({ from, to }) => from < to, { path: ['to'], error: 'must be after from' })
  .refine(({ from, to }) => to - from <= maxHourlySpanMs, {
    path: ['from'],
    error: 'must be at most 90 days before to',
  });
