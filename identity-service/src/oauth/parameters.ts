import { OAuthError } from './oauth-error.ts';

/** Parameters of a request by name, each once; one without a value counts as absent (RFC 6749 section 3.2). */
export type Parameters = ReadonlyMap<string, string>;

/** @throws OAuthError invalid_request when it is absent */
export function requireParameter(parameters: Parameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`);
  return value;
}
