/** PKCE verifier and challenge (RFC 7636), and a state. */
export interface PkceValues {
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
}

/** New values for one authorization request; undefined without a secure context, since crypto.subtle is missing there. */
export async function createPkceValues(): Promise<PkceValues | undefined> {
  if (!isSecureContext) return undefined;
  const verifier = randomText();
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64Url(new Uint8Array(hash)), state: randomText().slice(0, 22) };
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}

interface OAuthClient {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** Shown where values are not available. */
const placeholders: PkceValues = {
  verifier: '<CODE_VERIFIER>',
  challenge: '<CODE_CHALLENGE>',
  state: '<STATE>',
};

/** The authorization URL to which an app redirects the user. */
export function authorizationUrl(
  origin: string,
  { clientId, scopes }: OAuthClient,
  redirectUri: string,
  { challenge, state }: PkceValues = placeholders,
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

/** A curl command that exchanges the authorization code for tokens. */
export function tokenCommand(
  origin: string,
  { clientId }: OAuthClient,
  { verifier }: PkceValues = placeholders,
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

/** Percent-encodes all values but placeholders, which stay readable. */
function encode(value: string): string {
  return /^<[A-Z_]+>$/.test(value) ? value : encodeURIComponent(value);
}
