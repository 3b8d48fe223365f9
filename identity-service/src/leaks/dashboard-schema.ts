import { z } from 'zod';
import { declare, noBody, none } from '../web/dashboard-api/spec.ts';
import { leakPolicies } from './policy.ts';

const path = '/businesses/{businessId}/leak-policy';

const record = z
  .object({
    policy: z
      .enum(leakPolicies)
      .describe(
        'Besides the notice to the owners: `notify` does nothing, `freeze` and `delete` do so to the key.',
      ),
  })
  .meta({ id: 'LeakPolicy' });

export const getLeakPolicy = declare({
  id: 'getLeakPolicy',
  method: 'GET',
  path,
  summary: 'What happens to an API key that is reported as leaked.',
  query: none,
  body: noBody,
  response: record,
});

export const setLeakPolicy = declare({
  id: 'setLeakPolicy',
  method: 'PUT',
  path,
  role: 'owner',
  summary: 'Chooses what happens to an API key that is reported as leaked.',
  query: none,
  body: z.strictObject({ policy: z.enum(leakPolicies) }),
  response: record,
});

export const leakSpecs = [getLeakPolicy, setLeakPolicy];
