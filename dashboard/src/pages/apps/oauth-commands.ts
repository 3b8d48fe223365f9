/** A verifier and its challenge (RFC 7636), with a state. */
export interface PkceValues {
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
}

/** Fresh values for one authorization request; undefined where the browser has no cryptography: over plain http. */
export async function createPkceValues(): Promise<PkceValues | undefined> {
  // Only secure contexts have it, whatever the types say.
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

interface Asking {
  readonly clientId: string;
  readonly scopes: readonly string[];
}

/** What stands in the place of values that are not there. */
const placeholders: PkceValues = {
  verifier: '<CODE_VERIFIER>',
  challenge: '<CODE_CHALLENGE>',
  state: '<STATE>',
};

/** Where to send somebody who is to connect an app. */
export function authorizationUrl(
  origin: string,
  { clientId, scopes }: Asking,
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

/** The command that exchanges the code of the callback for tokens. */
export function tokenCommand(
  origin: string,
  { clientId }: Asking,
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

/** Placeholders stay readable: whoever fills them in looks for them. */
function encode(value: string): string {
  return /^<[A-Z_]+>$/.test(value) ? value : encodeURIComponent(value);
}
