import { z } from 'zod';
import { instant } from '../../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../../web/dashboard-api/spec.ts';
import { one } from '../dashboard-schema.ts';

const problem = z
  .object({
    reason: z
      .string()
      .describe(
        '`reason` of the requests, or their status where they have none; `early_calls`: requests before the time that a 429 had named; `repeated_challenge`: authorization requests of the last day with the code_challenge of an earlier one.',
      ),
    isListed: z
      .boolean()
      .describe('Whether the requests are among those of the business, with this `reason`.'),
    title: z.string().describe('The problem in a few words.'),
    advice: z.string().describe('What to change.'),
    help: z.string().describe('Path of its documentation.'),
    requests: z.int(),
    lastAt: instant,
    businesses: z
      .array(z.object({ name: z.string().nullable(), requests: z.int() }).meta({ id: 'ProblemBusiness' }))
      .describe(
        'Connected businesses that it concerns, the most requests first; empty for OAuth requests. The name is null while business-service does not say.',
      ),
  })
  .meta({ id: 'ApplicationProblem' });

export const listApplicationProblems = declare({
  id: 'listApplicationProblems',
  method: 'GET',
  path: `${one}/problems`,
  summary:
    'What goes wrong with an application, the heaviest first; of API requests those of the 20 connections with the most failures.',
  query: none,
  body: noBody,
  response: z.object({ since: instant, problems: z.array(problem) }),
});

export const problemSpecs = [listApplicationProblems];
