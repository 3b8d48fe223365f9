import type { FlowValues } from './pkce.ts';

interface Asking {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** What stands in the place of values that are not there. */
const placeholders: FlowValues = {
  verifier: '<CODE_VERIFIER>',
  challenge: '<CODE_CHALLENGE>',
  state: '<STATE>',
};

/** Where to send somebody who is to connect an app. */
export function authorizationUrl(
  origin: string,
  { clientId, scopes }: Asking,
  redirectUri: string,
  { challenge, state }: FlowValues = placeholders,
): string {
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  const pairs = Object.entries(parameters).map(([name, value]) => `${name}=${encode(value)}`);
  return `${origin}/oauth/authorize?${pairs.join('&')}`;
}

/** The command that exchanges the code of the callback for tokens. */
export function tokenCommand(
  origin: string,
  { clientId }: Asking,
  { verifier }: FlowValues = placeholders,
): string {
  return [
    `curl ${origin}/v2/oauth/token`,
    '-d grant_type=authorization_code',
    "-d code='<CODE>'",
    `-d client_id=${clientId}`,
    "-d client_secret='<CLIENT_SECRET>'",
    `-d code_verifier='${verifier}'`,
  ].join(' \\\n  ');
}

/** Placeholders stay readable: whoever fills them in looks for them. */
function encode(value: string): string {
  return /^<[A-Z_]+>$/.test(value) ? value : encodeURIComponent(value);
}
