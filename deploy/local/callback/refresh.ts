import { randomUUID } from 'node:crypto';
import type { DemoClient } from './demo-client.ts';
import { requestTokens } from './request-tokens.ts';
import type { Visit } from './visit.ts';

/** Contract 5.2, step 8. */
export async function refresh(client: DemoClient, visit: Visit): Promise<void> {
  if (visit.tokens === undefined) return;
  await requestTokens(client, visit, {
    title: 'Refresh',
    why: 'The refresh token gives a new pair and is used up. Should the answer get lost, the same request with the same Idempotency-Key gets it once more, for 60 seconds.',
    headers: { 'Idempotency-Key': randomUUID() },
    body: { grant_type: 'refresh_token', refresh_token: visit.tokens.refreshToken },
  });
}
