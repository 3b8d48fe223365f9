import { randomUUID } from 'node:crypto';

/** Limits of one call of the administration, with an identifier of its own for the logs. */
export function callOptions() {
  return { deadlineMs: 10_000, requestId: `admin-${randomUUID()}` };
}
