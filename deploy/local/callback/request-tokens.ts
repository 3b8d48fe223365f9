import { z } from 'zod';
import type { DemoClient } from './demo-client.ts';
import { type Call, exchange } from './exchange.ts';
import { shorten } from './shorten.ts';
import type { Visit } from './visit.ts';

const tokenPair = z.object({ access_token: z.string(), refresh_token: z.string() });

/** A request to the token endpoint (contract 4.3). Keeps the pair; `invalid_grant` ends what there was. */
export async function requestTokens(
  { issuer, clientId, clientSecret }: DemoClient,
  visit: Visit,
  call: Pick<Call, 'title' | 'why' | 'headers'> & { readonly body: Readonly<Record<string, string>> },
): Promise<void> {
  const { code_verifier: verifier } = call.body;
  const { step, result, status } = await exchange({
    ...call,
    method: 'POST',
    url: `${issuer}/v2/oauth/token`,
    body: { ...call.body, client_id: clientId, client_secret: clientSecret },
    shown: verifier === undefined ? {} : { code_verifier: shorten(verifier) },
  });
  visit.steps.push(step);
  const pair = tokenPair.safeParse(result);
  if (pair.success) {
    visit.tokens = { accessToken: pair.data.access_token, refreshToken: pair.data.refresh_token };
  } else if (status === 400) {
    visit.tokens = undefined;
  }
}
