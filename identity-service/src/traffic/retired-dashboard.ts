import { z } from 'zod';
import { instant } from '../web/dashboard-api/fields.ts';
import { businessOperation, type Operation } from '../web/dashboard-api/operation.ts';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import type { RetiredStore } from './retired-store.ts';
import type { FindClients } from './usage.ts';
import { clientSchema, toClient } from './usage-fields.ts';

const maxListed = 200;

const oldString = z
  .object({
    limitId: z
      .string()
      .describe('Id of the API key or Grant; the value of the filter `credential` of requests.'),
    caller: clientSchema,
    lastFour: z
      .string()
      .nullable()
      .describe('Of a key string; null for the tokens of a connection together.'),
    reason: z.string().describe('`rotated`, `deleted`, `revoked`, or why the connection ended.'),
    endedAt: instant,
    calls: z.int().min(1).describe('Calls that were refused since.'),
    lastCallAt: instant,
    addresses: z.array(z.string()).describe('Of the last calls, the latest first; 3 at most.'),
  })
  .meta({ id: 'OldString' });

const listOldStrings = declare({
  id: 'listOldStrings',
  method: 'GET',
  path: '/businesses/{businessId}/old-strings',
  summary: `Key strings and tokens that ended in the last 90 days and with which calls still came, the last call first; ${maxListed} at most.`,
  query: none,
  body: noBody,
  response: z.object({ oldStrings: z.array(oldString) }),
});

export const retiredSpecs = [listOldStrings];

interface RetiredOperationsDeps {
  readonly retired: Pick<RetiredStore, 'listUsed'>;
  readonly findClients: FindClients;
}

/** Operations on strings that no longer work. */
export function retiredOperations({ retired, findClients }: RetiredOperationsDeps): Operation[] {
  return [
    businessOperation(listOldStrings, async ({ businessId }) => {
      const used = await retired.listUsed(businessId, maxListed);
      const clients = await findClients(businessId, [...new Set(used.map(({ limitId }) => limitId))]);
      const byLimitId = new Map(clients.map((client) => [client.limitId, toClient(client)]));
      return {
        oldStrings: used.flatMap(({ retiredAt, lastFour, addresses, ...use }) => {
          const caller = byLimitId.get(use.limitId);
          const shown = { endedAt: retiredAt, lastFour: lastFour ?? null, addresses: [...addresses] };
          return caller === undefined ? [] : { ...use, ...shown, caller };
        }),
      };
    }),
  ];
}
