import { callApi } from './call-api.ts';
import type { DemoClient } from './demo-client.ts';
import { judgeCallback } from './judge-callback.ts';
import { requestTokens } from './request-tokens.ts';
import { shortenSecrets } from './shorten.ts';
import type { Visit } from './visit.ts';

/** Contract 5.2, steps 5 to 7: checks the callback, exchanges its code, and makes the first request. */
export async function takeCallback(client: DemoClient, visit: Visit, query: URLSearchParams): Promise<void> {
  const verdict = judgeCallback(query, visit.pending, client.issuer);
  const request = showCallback(client, query);
  if (verdict.kind === 'foreign') {
    const why = `This is no answer to this browser's request: ${verdict.reason}. The application takes nothing from it.`;
    visit.steps.push({ title: 'Callback refused', why, request, failed: true });
    return;
  }
  visit.pending = undefined;
  if (verdict.kind === 'denied') {
    const why = `No code was given. ${verdict.reason}`;
    visit.steps.push({ title: 'Callback', why, request, failed: true });
    return;
  }
  const why =
    'The browser is back with a code. Its state is the one that was sent, and iss names the platform that was asked.';
  visit.steps.push({ title: 'Callback', why, request, failed: false });
  const { code, codeVerifier } = verdict;
  await requestTokens(client, visit, {
    title: 'Token exchange',
    why: 'From server to server, the application shows the code, its client secret and the verifier. The platform hashes the verifier and compares.',
    body: { grant_type: 'authorization_code', code, code_verifier: codeVerifier },
  });
  if (visit.tokens !== undefined) await callApi(client, visit);
}

function showCallback({ redirectUri }: DemoClient, query: URLSearchParams): string {
  const lines = [...query].map(([name, value]) => `  ${name} = ${value}`);
  return shortenSecrets([`GET ${redirectUri}`, ...lines].join('\n'));
}
