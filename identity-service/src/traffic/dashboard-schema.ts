import { isIP } from 'node:net';
import { z } from 'zod';
import { nextCursor, pageCursor, pageSize } from '../platform/pagination.ts';
import { givenInstant, instant } from '../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import { checks } from './explanation.ts';
import { credentialTypes, maxGroups, trendParts } from './request-log.ts';
import { clientSchema } from './usage-fields.ts';

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
      'Refusal of the gateway, part of the request that is not valid (`invalid_query`), or reason of an OAuth error; null when the upstream refused or failed.',
    ),
  title: z.string().describe('The reason in a few words; `Succeeded` or the like for a request that did.'),
  credential: credential.nullable().describe('null when it is unknown.'),
  clientIp: z.string(),
  durationMs: z.number().describe('Milliseconds to the end of the response.'),
};

const apiRequest = z.object(requestFields).meta({ id: 'ApiRequest' });

const apiRequestDetail = z
  .object({
    ...requestFields,
    route: z.string().nullable().describe('Route of the path; null for unknown paths.'),
    upstreamMs: z
      .number()
      .nullable()
      .describe('Milliseconds until the service behind the gateway responded; null if it was not asked.'),
    responseBytes: z.int().describe('Bytes of the body of the response.'),
    userAgent: z.string().describe('As it was sent; empty without one.'),
    error: z
      .string()
      .nullable()
      .describe('The error as it was sent; null without one, and where the contract forbids a text.'),
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
    explanation: z
      .object({
        problem: z.string().describe('What went wrong.'),
        advice: z.string().describe('How to fix it.'),
        help: z.string().describe('Path of its documentation.'),
      })
      .nullable()
      .describe('null for a request that succeeded.')
      .meta({ id: 'RequestExplanation' }),
    secretLastFour: z.string().nullable().describe('Of the client secret that was sent.'),
    missingAddress: z
      .object({
        kind: clientSchema.shape.kind,
        id: z.string().describe('Id of the API key or application.'),
        address: z.string(),
      })
      .nullable()
      .describe(
        'Address that was refused because the whitelist of this application or API key of the business lacks it.',
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

const methodAndRoute = {
  method: z
    .string()
    .regex(/^[A-Z-]{1,32}$/, 'must be a method such as GET')
    .optional(),
  route: z
    .string()
    .max(200)
    .optional()
    .describe('Route as in the reference, such as `/v2/order/{id}`; `none` for unknown paths.'),
};

const filterFields = {
  status: z
    .string()
    .regex(/^(?:[245]xx|[1-5]\d\d)$/, 'must be 2xx, 4xx, 5xx or a status')
    .optional()
    .describe('A class, or one status. `2xx` has every response below 400.'),
  reason: z
    .string()
    .regex(/^\w{1,64}$/, 'must be a reason such as insufficient_scope')
    .optional()
    .describe('One of `listRequestReasons`, or `none` for requests without one.'),
  credential: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be the id of a key or connection')
    .optional()
    .describe('`limitId` of a credential: an API key, a Grant or an application.'),
  ...methodAndRoute,
  address: z
    .string()
    .refine((text) => isIP(text) !== 0, 'must be an IP address')
    .optional(),
  text: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('Part of the path, of the User-Agent or of the error; or a whole request id or address.'),
};

/** Filter of requests, as a query has it. */
export type FilterQuery = z.output<z.ZodObject<typeof filterFields>>;

const isOrdered = ({ from, to }: { readonly from?: number | undefined; readonly to?: number | undefined }) =>
  from === undefined || to === undefined || from < to;

const notOrdered = { path: ['to'], error: 'must be after from' };

const spanFields = {
  from: givenInstant.describe('Requests at or after this time.'),
  to: givenInstant.describe('Requests before this time.'),
};

const unlisted = z
  .array(z.object({ minute: instant, requests: z.int() }).meta({ id: 'UnlistedRequests' }))
  .describe('Minutes with requests that are not in the log because it could not keep up, newest first.');

export const listRequests = declare({
  id: 'listRequests',
  method: 'GET',
  path: collection,
  summary: `API requests, and OAuth requests of its applications, as long as they are kept, newest first; ${pageSize} a page.`,
  query: z
    .strictObject({
      cursor: pageCursor
        .refine(({ id }) => z.uuid().safeParse(id).success, 'is not a cursor of this list')
        .optional(),
      ...filterFields,
      from: spanFields.from.optional(),
      to: spanFields.to.optional(),
    })
    .refine(isOrdered, notOrdered),
  body: noBody,
  response: z.object({ requests: z.array(apiRequest), nextCursor, unlisted }),
});

const group = z
  .object({
    method: z.string(),
    route: z.string().nullable(),
    status: z.int(),
    reason: z.string().nullable(),
    title: z.string(),
    credential: z
      .object({ limitId: z.string(), caller: clientSchema.nullable() })
      .nullable()
      .meta({ id: 'RequestGroupCredential' }),
    requests: z.int(),
    firstAt: instant,
    lastAt: instant,
    lastId: z.string().describe('X-Request-Id of the latest.'),
    trend: z.array(z.int()).describe(`Requests in each of ${trendParts} equal parts of the span.`),
  })
  .meta({ id: 'RequestGroup' });

export const listRequestGroups = declare({
  id: 'listRequestGroups',
  method: 'GET',
  path: '/businesses/{businessId}/request-groups',
  summary: `Refused and failed requests by reason, route and credential, the most frequent first; ${maxGroups} at most.`,
  query: z.strictObject({ ...filterFields, ...spanFields }).refine(isOrdered, notOrdered),
  body: noBody,
  response: z.object({ groups: z.array(group) }),
});

const routeDurations = z
  .object({
    method: z.string(),
    route: z.string().nullable(),
    requests: z.int(),
    failures: z.int().describe('Responses with a status of 500 or above.'),
    p50: z.number().describe('Milliseconds that half of the requests took at most.'),
    p95: z.number(),
    p99: z.number(),
  })
  .meta({ id: 'RouteDurations' });

export const listDurations = declare({
  id: 'listDurations',
  method: 'GET',
  path: '/businesses/{businessId}/request-durations',
  summary: 'Durations of requests by route, the most frequent first.',
  query: z.strictObject({ ...filterFields, ...spanFields }).refine(isOrdered, notOrdered),
  body: noBody,
  response: z.object({ durations: z.array(routeDurations) }),
});

/** Requests in one export at most. */
export const maxExportedRequests = 10_000;

export const exportRequests = declare({
  id: 'exportRequests',
  method: 'GET',
  path: '/businesses/{businessId}/requests.csv',
  summary: `Requests as CSV (RFC 4180); the newest ${maxExportedRequests} at most, which the file name then says.`,
  query: z
    .strictObject({ ...filterFields, from: spanFields.from.optional(), to: spanFields.to.optional() })
    .refine(isOrdered, notOrdered),
  body: noBody,
  response: z.string(),
  mediaType: 'text/csv',
});

export const exportRequestGroups = declare({
  id: 'exportRequestGroups',
  method: 'GET',
  path: '/businesses/{businessId}/request-groups.csv',
  summary: 'The groups of refused and failed requests as CSV (RFC 4180).',
  query: listRequestGroups.query,
  body: noBody,
  response: z.string(),
  mediaType: 'text/csv',
});

export const getRequest = declare({
  id: 'getRequest',
  method: 'GET',
  path: `${collection}/{requestId}`,
  summary:
    'One API or OAuth request by its X-Request-Id, with every check. Requests without a known credential are kept for a day.',
  query: none,
  body: noBody,
  response: apiRequestDetail,
});

export const listRequestReasons = declare({
  id: 'listRequestReasons',
  method: 'GET',
  path: '/request-reasons',
  summary: 'All reasons that a refused or failed request of a business may have, with words for each.',
  query: none,
  body: noBody,
  response: z.object({
    reasons: z.array(z.object({ reason: z.string(), words: z.string() }).meta({ id: 'ReasonWords' })),
  }),
});

export const requestsSpecs = [
  listRequestReasons,
  listRequests,
  listRequestGroups,
  listDurations,
  exportRequests,
  exportRequestGroups,
  getRequest,
];
