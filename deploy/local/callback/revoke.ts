import { callApi } from './call-api.ts';
import type { DemoClient } from './demo-client.ts';
import { exchange } from './exchange.ts';
import type { Visit } from './visit.ts';

/** Contract 4.4: ends everything that was approved, and shows that the access token is dead with it. */
export async function revoke(client: DemoClient, visit: Visit): Promise<void> {
  if (visit.tokens === undefined) return;
  const { issuer, clientId, clientSecret } = client;
  const { step } = await exchange({
    title: 'Revocation',
    why: 'Revoking the refresh token ends the whole approval. When the answer is there, no request that starts later gets through.',
    method: 'POST',
    url: `${issuer}/v2/oauth/revoke`,
    body: {
      token: visit.tokens.refreshToken,
      token_type: 'refresh_token',
      client_id: clientId,
      client_secret: clientSecret,
    },
  });
  visit.steps.push(step);
  if (step.failed) return;
  await callApi(client, visit, 'The access token was issued from the same approval, so it is dead, too.');
  visit.tokens = undefined;
}
