import { z } from 'zod';
import { declare, noBody, none } from '../../../web/dashboard-api/spec.ts';
import { one } from '../dashboard-schema.ts';
import { stepIds } from './step.ts';

const step = z
  .object({
    id: z.enum(stepIds),
    words: z.string().describe('Statement that is true when it is done.'),
    advice: z.string().describe('What to do while it is not done.'),
    isDone: z.boolean(),
  })
  .meta({ id: 'GoLiveStep' });

export const listGoLiveSteps = declare({
  id: 'listGoLiveSteps',
  method: 'GET',
  path: `${one}/go-live`,
  summary: 'Steps before an application goes live, and which are done by its settings and its real requests.',
  query: none,
  body: noBody,
  response: z.object({ steps: z.array(step) }),
});

export const goLiveSpecs = [listGoLiveSteps];
