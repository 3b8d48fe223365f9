import { z } from 'zod';
import { instantOrNull } from '../../web/dashboard-api/fields.ts';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { confirmation } from '../profile/dashboard-schema.ts';

const path = '/businesses/{businessId}/required-second-factor';

const requirement = z
  .object({ requiredAt: instantOrNull.describe('null while no second factor is required.') })
  .meta({ id: 'SecondFactorRequirement' });

export const getRequirement = declare({
  id: 'getRequiredSecondFactor',
  method: 'GET',
  path,
  summary: 'Since when all people of the business need a second factor to act for it.',
  query: none,
  body: noBody,
  response: requirement,
});

export const requireFactor = declare({
  id: 'requireSecondFactor',
  method: 'PUT',
  path,
  summary:
    'Requires a second factor of all people of the business: those without one keep their membership, and every operation of the business is refused to them with `second_factor_required` until they have one. The owner needs one. API keys and connected apps are not affected.',
  role: 'owner',
  query: none,
  body: z.strictObject(confirmation),
  response: requirement,
});

export const liftRequirement = declare({
  id: 'liftRequiredSecondFactor',
  method: 'DELETE',
  path,
  summary: 'No longer requires a second factor. Where none is required, does nothing.',
  role: 'owner',
  query: none,
  body: z.strictObject(confirmation),
  response: requirement,
});

export const requirementSpecs = [getRequirement, requireFactor, liftRequirement];
