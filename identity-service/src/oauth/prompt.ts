import { OAuthError } from './oauth-error.ts';
import type { Query } from './parameters.ts';

/** Values of `prompt` (OpenID Connect Core section 3.1.2.1). */
export const promptValues = ['none', 'login', 'consent', 'select_account'] as const;

/** Pages that an application asks for; `none` for no page at all. */
export type Prompt = ReadonlySet<(typeof promptValues)[number]>;

/**
 * The prompt of a request.
 * @throws OAuthError invalid_request for `none` with others, and for unknown values (Initiating User Registration via OpenID Connect section 4)
 */
export function requestedPrompt(query: Query): Prompt {
  const names = (query.get('prompt') ?? '').split(' ').filter((name) => name !== '');
  const chosen = new Set(promptValues.filter((value) => names.includes(value)));
  if (names.some((name) => !promptValues.some((value) => value === name))) {
    throw new OAuthError('invalid_request', `prompt must be among: ${promptValues.join(' ')}`);
  }
  if (chosen.has('none') && chosen.size > 1) {
    throw new OAuthError('invalid_request', 'prompt none stands alone');
  }
  return chosen;
}

/** Whether a person who is logged in has to log in again. The login page also serves to choose another account. */
export function asksForLogin(prompt: Prompt): boolean {
  return prompt.has('login') || prompt.has('select_account');
}

/** Path that the login page leads back to: the same request, without its demand for a login. */
export function afterLogin(path: string, query: Query, prompt: Prompt): string {
  const rest = query.without('prompt');
  return `${path}?${rest}${prompt.has('consent') ? '&prompt=consent' : ''}`;
}

/** Refuses a request that needs a page although it permits none. @throws OAuthError */
export function checkPagePermitted(
  prompt: Prompt,
  code: 'login_required' | 'consent_required' | 'interaction_required',
  why: string,
): void {
  if (prompt.has('none')) throw new OAuthError(code, why);
}
