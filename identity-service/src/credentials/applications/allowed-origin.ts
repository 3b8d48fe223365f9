import { AppError } from '@platform/service-kit/values/app-error.ts';
import { isLoopbackHttp } from './redirect-uri.ts';

/** The list that gateways get has up to 5,000 origins, which must fit into a gRPC message of 1 MB. */
const maxLength = 150;
const maxOrigins = 10;

/**
 * Origins whose pages may call the API with an application's access tokens (CORS). They are compared as text, so they must
 * have the exact form that browsers send.
 * @throws AppError with what is wrong with the first one that is not allowed
 */
export function checkAllowedOrigins(candidates: readonly string[]): string[] {
  if (candidates.length > maxOrigins) throw refusal(`an app has at most ${maxOrigins} allowed origins`);
  if (new Set(candidates).size < candidates.length) throw refusal('an allowed origin is given twice');
  for (const candidate of candidates) {
    const error = findError(candidate);
    if (error !== undefined) throw refusal(error);
  }
  return [...candidates];
}

/** Validation error of an allowed origin. */
function findError(candidate: string): string | undefined {
  if (candidate.length > maxLength) return `an allowed origin must have at most ${maxLength} characters`;
  if (candidate.includes('*')) return 'an allowed origin must not contain wildcards';
  const url = URL.parse(candidate);
  if (url === null) return 'an allowed origin must have the form https://app.example';
  if (url.protocol !== 'https:' && !isLoopbackHttp(url)) {
    return 'an allowed origin must use https; http is for loopback addresses only';
  }
  // Path, user name, upper case, a default port: no browser sends an origin with one of these.
  if (url.origin !== candidate) return `write the allowed origin as ${url.origin}`;
  return undefined;
}

function refusal(text: string): AppError {
  return new AppError('invalid_argument', 'invalid_allowed_origin', text);
}
