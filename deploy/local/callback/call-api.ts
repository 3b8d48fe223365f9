import type { DemoClient } from './demo-client.ts';
import { exchange } from './exchange.ts';
import type { Visit } from './visit.ts';

/** The recommended first request (contract 4.5): which business has approved? */
export async function callApi(
  { issuer }: DemoClient,
  visit: Visit,
  why = 'The access token opens what was approved. This record tells the application which business it acts for.',
): Promise<void> {
  if (visit.tokens === undefined) return;
  const { step } = await exchange({
    title: 'API request',
    why,
    method: 'GET',
    url: `${issuer}/v2/businesses/me`,
    headers: { Authorization: `Bearer ${visit.tokens.accessToken}` },
  });
  visit.steps.push(step);
}
