import { z } from 'zod';
import { declare, noBody, none } from '../../web/dashboard-api/spec.ts';
import { maxLifetimeDays } from './lifetime.ts';

const path = '/businesses/{businessId}/key-lifetime';

const fields = {
  rule: z
    .enum(['off', 'any_end', 'at_most'], 'must be off, any_end or at_most')
    .describe(
      '`off`: new keys may last without an end; `any_end`: each needs an end; `at_most`: within `maxDays`.',
    ),
  maxDays: z.int().nullable().describe('Days of `at_most`; null for any other rule.'),
};

const lifetime = z.object(fields).meta({ id: 'KeyLifetime' });

const days = z
  .int('must be a whole number of days')
  .min(1, 'must be at least 1 day')
  .max(maxLifetimeDays, `must be at most ${maxLifetimeDays} days`);

const daysOfRule = {
  path: ['maxDays'],
  error: 'must be given for at_most, and for no other rule',
};

const given = z
  .strictObject({ rule: fields.rule, maxDays: days.nullable().default(null) })
  .refine(({ rule, maxDays }) => (rule === 'at_most') === (maxDays !== null), daysOfRule);

export const getKeyLifetime = declare({
  id: 'getKeyLifetime',
  method: 'GET',
  path,
  summary: 'How long new API keys of the business may last.',
  query: none,
  body: noBody,
  response: lifetime,
});

export const setKeyLifetime = declare({
  id: 'setKeyLifetime',
  method: 'PUT',
  path,
  role: 'owner',
  summary: 'Sets how long new API keys may last, for owners too; existing keys stay as they are.',
  query: none,
  body: given,
  response: lifetime,
});

export const countUnmetKeys = declare({
  id: 'countUnmetKeys',
  method: 'GET',
  path: `${path}/unmet`,
  summary: 'How many active API keys a rule would refuse if they were new.',
  query: z
    .strictObject({ rule: fields.rule.default('any_end'), maxDays: z.coerce.number().pipe(days).optional() })
    .refine(({ rule, maxDays }) => (rule === 'at_most') === (maxDays !== undefined), daysOfRule),
  body: noBody,
  response: z.object({ keys: z.int().min(0) }),
});

export const keyLifetimeSpecs = [getKeyLifetime, setKeyLifetime, countUnmetKeys];
