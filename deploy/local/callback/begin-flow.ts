import { createHash, randomBytes } from 'node:crypto';
import type { DemoClient } from './demo-client.ts';
import { shorten } from './shorten.ts';
import type { Visit } from './visit.ts';

/** Contract 5.2, steps 2 to 4: a fresh verifier and state, and the address to send the browser to. */
export function beginFlow(client: DemoClient): { readonly visit: Visit; readonly authorizationUrl: string } {
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const state = randomBytes(24).toString('base64url');
  const parameters = {
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: client.scopes.join(' '),
    state,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  };
  const lines = Object.entries(parameters).map(([name, value]) => `  ${name} = ${value}`);
  const step = {
    title: 'Authorization request',
    why: `The application makes a code verifier (${shorten(codeVerifier)}), keeps it to itself, and sends the browser to the platform with its SHA-256 hash. The state is random, too, and comes back unchanged.`,
    request: [`GET ${client.issuer}/oauth/authorize`, ...lines].join('\n'),
    failed: false,
  };
  return {
    visit: { pending: { state, codeVerifier }, steps: [step] },
    authorizationUrl: `${client.issuer}/oauth/authorize?${new URLSearchParams(parameters)}`,
  };
}
