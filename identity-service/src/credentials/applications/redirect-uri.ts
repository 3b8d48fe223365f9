import { AppError } from '@platform/service-kit/values/app-error.ts';

const maxUris = 10;
const maxLength = 1_000;
/** Parameters of an authorization response (RFC 6749 sections 4.1.2, 4.1.2.1, RFC 9207). Duplicates would confuse clients. */
const responseParameters = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri'];
const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The redirect URIs of an application, as sent. @throws AppError with what is wrong with the first one that is not allowed */
export function checkRedirectUris(candidates: readonly string[]): string[] {
  if (candidates.length < 1 || candidates.length > maxUris) {
    throw refusal(`an app needs 1 to ${maxUris} redirect URIs`);
  }
  if (new Set(candidates.map(normalRedirectUri)).size < candidates.length)
    throw refusal('a redirect URI is given twice');
  for (const candidate of candidates) {
    const error = findError(candidate) ?? findReserved(candidate);
    if (error !== undefined) throw refusal(error);
  }
  return [...candidates];
}

/** Matches the origin of a URI without a path. */
const withoutPath = /^(https?:\/\/[^/?#]+)(?=\?|$)/;

/** Matches the default port of a loopback URI, which URL libraries remove. */
const loopbackPort = /^(http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])):80(?=[/?#]|$)/;

/**
 * The form in which redirect URIs are compared: an empty path is `/` (RFC 3986 section 6.2.3), as client libraries that
 * parse a URL send it, and port 80 of loopback is left out. Every other character is left as it is.
 */
export function normalRedirectUri(uri: string): string {
  return uri.replace(loopbackPort, '$1').replace(withoutPath, '$1/');
}

/**
 * Whether `requested` is the registered URI: the same string in the normal form, except that any port will do on
 * loopback, where applications take a free one (RFC 9700 section 2.1, RFC 8252 section 7.3).
 */
export function matchesRedirectUri(registered: string, requested: string): boolean {
  if (normalRedirectUri(registered) === normalRedirectUri(requested)) return true;
  if (findError(requested) !== undefined) return false;
  return isLoopbackHttp(new URL(registered)) && withoutPort(registered) === withoutPort(requested);
}

/** Whether a URL leads to the machine of the person who follows it, over plain http. */
export function isLoopbackHttp({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && loopbackHosts.includes(hostname);
}

/** Validation error of a redirect URI. */
function findError(candidate: string): string | undefined {
  if (candidate.length > maxLength) return `a redirect URI must have at most ${maxLength} characters`;
  if (candidate.includes('#')) return 'a redirect URI must not have a fragment';
  if (candidate.includes('*')) return 'a redirect URI must not contain wildcards';
  const url = URL.parse(candidate);
  if (url === null) return 'a redirect URI must be an absolute URL';
  if (url.username !== '' || url.password !== '')
    return 'a redirect URI must not contain a user name or password';
  if (url.protocol !== 'https:' && !isLoopbackHttp(url)) {
    return 'a redirect URI must use https; http is for loopback addresses only';
  }
  // Refuses spellings that parsers normalize: upper case, dot segments, blanks, a default port.
  if (url.href !== normalRedirectUri(candidate)) return `write the redirect URI as ${url.href}`;
  return undefined;
}

/** Validation error of a redirect URI that carries a parameter of the response. Those registered earlier still match. */
function findReserved(candidate: string): string | undefined {
  const { searchParams } = new URL(candidate);
  const reserved = responseParameters.find((name) => searchParams.has(name));
  return reserved && `a redirect URI must not have a parameter named ${reserved}: the response adds it`;
}

function withoutPort(uri: string): string {
  const url = new URL(uri);
  url.port = '';
  return url.href;
}

function refusal(text: string): AppError {
  return new AppError('invalid_argument', 'invalid_redirect_uri', text);
}
