import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { z } from 'zod';

/** The rules that Prometheus loads. */
export const rulesFile = fileURLToPath(new URL('rules.yml', import.meta.url));

const alertRule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']), window: z.string().optional() }),
  annotations: z.strictObject({ summary: z.string(), runbook: z.string() }),
});

const recordRule = z.strictObject({ record: z.string(), expr: z.string() });

const schema = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(z.union([alertRule, recordRule])) })),
});

/** The rules, as written and sorted by kind. @throws when a rule lacks a required part */
export function readRules() {
  const { groups } = schema.parse(parse(readFileSync(rulesFile, 'utf8')));
  const rules = groups.flatMap((group) => group.rules);
  return {
    groups,
    alerts: rules.filter((rule) => 'alert' in rule),
    records: rules.filter((rule) => 'record' in rule),
  };
}
