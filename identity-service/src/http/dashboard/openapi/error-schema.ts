import { z } from 'zod';

/** What every error of the dashboard API looks like. */
export const errorSchema = z.strictObject({
  error: z.string().describe('A sentence for the person at the screen.'),
  status: z.string().describe('The reason phrase of the HTTP status.'),
  code: z.int().describe('The HTTP status.'),
  reason: z.string().optional().describe('A stable word for programs.'),
  fields: z.record(z.string(), z.string()).optional().describe('What is wrong with each field.'),
});
