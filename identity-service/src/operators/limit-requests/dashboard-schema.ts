import { z } from 'zod';
import { instant, instantOrNull } from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { limitKinds, limitRequestStatuses } from './limit-request.ts';

const path = '/businesses/{businessId}/limit-requests';

const kind = z.enum(limitKinds).meta({ id: 'LimitKind' });

const limitRequest = z
  .object({
    id: z.string(),
    kind,
    subjectId: z.string().describe('The app, or the API key.'),
    requestedLimit: z.int(),
    reason: z.string(),
    status: z.enum(limitRequestStatuses),
    createdAt: instant,
    decidedAt: instantOrNull,
    grantedLimit: z.int().nullable(),
    decisionReason: z.string().nullable(),
  })
  .meta({ id: 'LimitRequest' });

export const listLimitRequests = declare({
  id: 'listLimitRequests',
  method: 'GET',
  path,
  summary: 'Requests for higher limits, the newest first; at most 100.',
  query: none,
  body: noBody,
  response: z.object({ limitRequests: z.array(limitRequest) }),
});

export const requestLimit = declare({
  id: 'requestLimit',
  method: 'POST',
  path,
  summary: 'Asks for a higher limit of an app or an API key. One request of a kind can wait.',
  role: 'owner',
  query: none,
  body: z.strictObject({
    kind,
    subjectId: z.string().regex(/^[\w-]{1,64}$/, 'must be the identifier of an app or an API key'),
    limit: z.int('must be a whole number').describe('Higher than the present one.'),
    reason: z.string().describe('One line of 1 to 500 characters.'),
  }),
  status: 201,
  response: z.object({ limitRequest }),
});

export const limitRequestSpecs = [listLimitRequests, requestLimit];
