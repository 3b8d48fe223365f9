import { callApi } from './call-api.ts';
import type { DemoClient } from './demo-client.ts';
import { judgeCallback } from './judge-callback.ts';
import { requestTokens } from './request-tokens.ts';
import { shortenSecrets } from './shorten.ts';
import type { Step, Visit } from './visit.ts';

/**
 * Contract 5.2, steps 5 to 7: checks the callback, exchanges its code, and makes the first request.
 * @returns what to show when it is no answer to this browser's request, of which nothing changes then
 */
export async function takeCallback(
  client: DemoClient,
  visit: Visit,
  query: URLSearchParams,
): Promise<Step | undefined> {
  const verdict = judgeCallback(query, visit.pending, client.issuer);
  const callback = { title: 'Callback', request: showCallback(client, query) };
  if (verdict.kind === 'foreign') {
    const why = `The application takes nothing from it: ${verdict.reason}. If you have asked in a terminal, the code is in the address bar.`;
    return { ...callback, why, failed: true };
  }
  visit.pending = undefined;
  if (verdict.kind === 'denied') {
    visit.steps.push({ ...callback, why: `There is no code. ${verdict.reason}`, failed: true });
    return undefined;
  }
  const why =
    'The browser is back with a code. Its state is the one that was sent, and iss names the platform that was asked.';
  visit.steps.push({ ...callback, why, failed: false });
  const { code, codeVerifier } = verdict;
  await requestTokens(client, visit, {
    title: 'Token exchange',
    why: 'From server to server, the application shows the code, its client secret and the verifier. The platform hashes the verifier and compares.',
    body: { grant_type: 'authorization_code', code, code_verifier: codeVerifier },
  });
  if (visit.tokens !== undefined) await callApi(client, visit);
  return undefined;
}

function showCallback({ redirectUri }: DemoClient, query: URLSearchParams): string {
  const lines = [...query].map(([name, value]) => `  ${name} = ${value}`);
  return shortenSecrets([`GET ${redirectUri}`, ...lines].join('\n'));
}
