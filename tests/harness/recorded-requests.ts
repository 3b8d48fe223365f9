import { expect } from '@jest/globals';
import { z } from 'zod';
import type { Dashboard } from './dashboard.ts';
import { expectEventually } from './expect-eventually.ts';

const text = z.string().nullable();

const caller = z.object({
  kind: z.string(),
  id: z.string(),
  name: text,
  exists: z.boolean(),
  isOwn: z.boolean(),
});

const requestFields = {
  id: z.string(),
  at: z.string(),
  method: z.string(),
  path: z.string(),
  status: z.number(),
  reason: text,
  title: z.string(),
  credential: z
    .object({ type: z.string(), id: z.string(), limitId: text, caller: caller.nullable() })
    .nullable(),
  clientIp: z.string(),
  durationMs: z.number(),
};

const pageResponse = z.object({
  requests: z.array(z.object(requestFields)),
  nextCursor: text,
  unlisted: z.array(z.object({ minute: z.string(), requests: z.number() })),
});

const detailResponse = z.object({
  ...requestFields,
  route: text,
  requiredScope: text,
  decision: z.array(z.object({ check: z.string(), outcome: z.string(), words: z.string() })),
  upstreamMs: z.number().nullable(),
  responseBytes: z.number(),
  userAgent: z.string(),
  error: text,
  explanation: z.object({ problem: z.string(), advice: z.string(), help: z.string() }).nullable(),
  secretLastFour: text,
  missingAddress: z.object({ kind: z.string(), id: z.string(), address: z.string() }).nullable(),
  remedy: z.object({ page: z.string(), id: text }).nullable(),
});

export type RequestPage = z.output<typeof pageResponse>;

export type RecordedRequest = z.output<typeof detailResponse>;

/** A request in the log, once it has been reported. */
export async function findRequest(dashboard: Dashboard, id: string): Promise<RecordedRequest> {
  return expectEventually(
    async () => {
      const response = await dashboard.own('GET', `/requests/${id}`);
      expect(response.status).toBe(200);
      return detailResponse.parse(response.json());
    },
    { withinMs: 10_000, everyMs: 200 },
  );
}

/** A page of the requests of the person's business. */
export async function listRequests(
  dashboard: Dashboard,
  parameters: Record<string, string> = {},
): Promise<RequestPage> {
  const response = await dashboard.own('GET', `/requests?${new URLSearchParams(parameters)}`);
  expect(response.status).toBe(200);
  return pageResponse.parse(response.json());
}

/** Checks that failed, and checks that were not reached. */
export function decided({ decision }: RecordedRequest) {
  const failed = decision.filter(({ outcome }) => outcome === 'failed').map(({ check }) => check);
  const open = decision.filter(({ outcome }) => outcome === 'not_reached').map(({ check }) => check);
  return { failed, open };
}
