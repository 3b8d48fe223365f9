import { z } from 'zod';
import type { ApiKey } from '../../credentials/api-keys/api-key.ts';
import { expiringSoonDays } from '../../credentials/api-keys/key-filter.ts';
import { clientSchema, hourlySpan, toClient, usageHour } from '../../traffic/usage-fields.ts';
import { instant } from '../../web/dashboard-api/fields.ts';
import { businessOperation, type Operation } from '../../web/dashboard-api/operation.ts';
import { declare, noBody } from '../../web/dashboard-api/spec.ts';
import { maxEndingKeys, type ReadOverviewDeps, readOverview } from './overview.ts';

const requests = z.int().min(0);

const clientUse = z
  .object({
    caller: clientSchema,
    requests,
    refused: requests.describe('Responses with status 400 to 499.'),
    failed: requests.describe('Responses with status 500 and above.'),
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
    verified: z.boolean().nullable().describe('null while business-service is unavailable.'),
    keyMade: z.boolean(),
    firstCall: z.boolean().describe('Whether a request succeeded in the last 90 days.'),
    connected: z
      .boolean()
      .describe(
        'Whether the business has connected an application, or one of its applications is connected.',
      ),
  })
  .meta({ id: 'Start' });

const getOverview = declare({
  id: 'getOverview',
  method: 'GET',
  path: '/businesses/{businessId}/overview',
  summary: 'Traffic of a business, limits nearly used up, and keys that expire soon.',
  query: hourlySpan,
  body: noBody,
  response: z.object({
    hours: z.array(usageHour).describe('Oldest first; hours without a request are left out.'),
    busiest: z
      .array(clientUse)
      .describe('The few clients with the most requests in this time, busiest first.'),
    limits: z
      .array(limitUse)
      .describe('Limits of which 80 % or more is used in the current rolling hour, closest first.'),
    endingKeys: z
      .array(endingKey)
      .describe(`Keys that expire or have expired within ${expiringSoonDays} days, first to expire first.`),
    hasMoreEndingKeys: z.boolean().describe(`Whether there are more than the ${maxEndingKeys} listed.`),
    start,
    revocations: z
      .object({
        count: z.int().min(0),
        pending: z.int().min(0).describe('Those that gateways did not confirm in time.'),
        slowestMs: z
          .int()
          .nullable()
          .describe(
            'From the start of the request to the confirmation of gateways; null where none was confirmed.',
          ),
      })
      .describe('Changes by people of the business in the last 30 days that ended access.'),
  }),
});

export const overviewSpecs = [getOverview];

/** Operation that reads the overview of a business. */
export function overviewOperations(deps: ReadOverviewDeps): Operation[] {
  return [
    businessOperation(getOverview, async ({ businessId, query: span, requestId }) => {
      const { hours, busiest, limits, endingKeys, start, revocations } = await readOverview(deps, {
        businessId,
        span,
        requestId,
      });
      return {
        hours: [...hours],
        busiest: busiest.map(({ client, ...use }) => ({ ...use, caller: toClient(client) })),
        limits: limits.map(({ client, ...use }) => ({ ...use, caller: toClient(client) })),
        endingKeys: endingKeys.slice(0, maxEndingKeys).flatMap(withExpiry),
        hasMoreEndingKeys: endingKeys.length > maxEndingKeys,
        start: { ...start, verified: start.verified ?? null },
        revocations: {
          count: revocations.revocations,
          pending: revocations.pending,
          slowestMs: revocations.slowestMs ?? null,
        },
      };
    }),
  ];
}

function withExpiry({ id, name, status, expiresAt }: ApiKey) {
  return expiresAt === undefined ? [] : [{ id, name, status, expiresAt }];
}
