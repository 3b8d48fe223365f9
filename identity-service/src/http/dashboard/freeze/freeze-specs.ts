import { z } from 'zod';
import { instant } from '../instant.ts';
import { propagation } from '../propagation-schema.ts';
import { declare, noBody, none } from '../spec.ts';

const path = '/businesses/{businessId}/freeze';

const freeze = z
  .object({
    frozenAt: instant,
    reason: z.string().describe('May be empty.'),
    frozenBy: z.object({
      personId: z.string(),
      name: z.string().describe('Empty when the account is gone.'),
    }),
  })
  .meta({ id: 'Freeze' });

export const getFreeze = declare({
  id: 'getFreeze',
  method: 'GET',
  path,
  summary: 'Whether the business lets API requests in.',
  query: none,
  body: noBody,
  answer: z.object({ freeze: freeze.nullable().describe('null while requests are let in.') }),
});

export const freezeBusiness = declare({
  id: 'freezeBusiness',
  method: 'PUT',
  path,
  role: 'owner',
  summary: 'Lets no API request in, by any key or application, until the freeze is lifted.',
  query: none,
  body: z.strictObject({
    reason: z
      .string()
      .default('')
      .describe('One line of at most 200 characters. A freeze that is there keeps its own.'),
  }),
  answer: z.object({ freeze: freeze.nullable().describe('null when it was lifted meanwhile.'), propagation }),
});

export const liftFreeze = declare({
  id: 'liftFreeze',
  method: 'DELETE',
  path,
  role: 'owner',
  summary: 'Lets API requests in again, at once. Does nothing where there is no freeze.',
  query: none,
  body: noBody,
  status: 204,
  answer: noBody,
});

export const freezeSpecs = [getFreeze, freezeBusiness, liftFreeze];
