import { z } from 'zod';
import { checks } from '../../../requests/decision.ts';
import { callerSchema } from '../caller.ts';
import { givenInstant, instant } from '../instant.ts';
import { nextCursor, pageCursor, pageSize } from '../page-cursor.ts';
import { declare, noBody, none } from '../spec.ts';

const all = '/businesses/{businessId}/requests';

const credential = z
  .object({
    type: z.enum(['secret_key', 'restricted_key', 'access_token']),
    id: z.string().describe('Of the key or the access token itself.'),
    limitId: z.string().nullable().describe('What it is counted under; narrows the list as `credential`.'),
    caller: callerSchema.nullable(),
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

export const listRequests = declare({
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

export const getRequest = declare({
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
