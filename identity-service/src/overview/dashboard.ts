import { z } from 'zod';
import type { ApiKey } from '../api-keys/api-key.ts';
import { clientSchema, hourlySpan, toClient, usageHour } from '../traffic/dashboard.ts';
import { instant } from '../web/dashboard-api/fields.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import { declare, noBody } from '../web/dashboard-api/spec.ts';
import { expiryDays, type ReadOverviewDeps, readOverview } from './overview.ts';

const requests = z.int().min(0);

const clientUse = z
  .object({
    caller: clientSchema,
    requests,
    refused: requests.describe('Answers 400 to 499.'),
    failed: requests.describe('Answers 500 and above.'),
  })
  .meta({ id: 'CallerUse' });

const limitUse = z
  .object({ caller: clientSchema, limit: requests, used: requests, left: requests })
  .meta({ id: 'LimitUse' });

const endingKey = z
  .object({ id: z.string(), name: z.string(), status: z.enum(['active', 'expired']), expiresAt: instant })
  .meta({ id: 'EndingKey' });

const start = z
  .object({
    verified: z.boolean().nullable().describe('null while business-service does not answer.'),
    keyMade: z.boolean(),
    firstCall: z.boolean().describe('Whether a request succeeded within 90 days.'),
    connected: z
      .boolean()
      .describe('Whether an application may act for the business, or one of its own for somebody.'),
  })
  .meta({ id: 'Start' });

const getOverview = declare({
  id: 'getOverview',
  method: 'GET',
  path: '/businesses/{businessId}/overview',
  summary: 'The traffic of a business, and what its people should know now.',
  query: hourlySpan,
  body: noBody,
  answer: z.object({
    hours: z.array(usageHour).describe('Oldest first; hours without a request are left out.'),
    busiest: z.array(clientUse).describe('Who called most in this time, the busiest first; a few.'),
    limits: z
      .array(limitUse)
      .describe('Limits of which 80 % or more of the rolling hour is used now, the closest first.'),
    endingKeys: z
      .array(endingKey)
      .describe(`Keys that end or have ended within ${expiryDays} days, the first to end first.`),
    start,
  }),
});

export const overviewSpecs = [getOverview];

export function overviewOperations(deps: ReadOverviewDeps): Operation[] {
  return [
    businessOperation(getOverview, async ({ businessId, query: span, requestId }) => {
      const { hours, busiest, limits, endingKeys, start } = await readOverview(deps, {
        businessId,
        span,
        requestId,
      });
      return {
        hours: [...hours],
        busiest: busiest.map(({ client, ...use }) => ({ ...use, caller: toClient(client) })),
        limits: limits.map(({ client, ...use }) => ({ ...use, caller: toClient(client) })),
        endingKeys: endingKeys.flatMap(withExpiry),
        start: { ...start, verified: start.verified ?? null },
      };
    }),
  ];
}

function withExpiry({ id, name, status, expiresAt }: ApiKey) {
  return expiresAt === undefined ? [] : [{ id, name, status, expiresAt }];
}
