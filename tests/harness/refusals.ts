import { z } from 'zod';
import type { HttpResponse } from './http-request.ts';

const refusal = z.object({
  code: z.number(),
  reason: z.string().optional(),
  fields: z.record(z.string(), z.string()).default({}),
});

/** A refusal of the dashboard API; `fields` are the names of fields with an error, sorted. */
export function refusalOf(response: HttpResponse): {
  code: number;
  reason: string | undefined;
  fields: string[];
} {
  const { code, reason, fields } = refusal.parse(response.json());
  return { code, reason, fields: Object.keys(fields).sort() };
}
