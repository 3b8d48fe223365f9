import createClient from 'openapi-fetch';
import type { paths } from '../generated/dashboard-api.d.ts';
import { ApiError, readApiError } from './errors.ts';

let csrfToken = '';

/** For the header of everything that changes something. */
export const getCsrfToken = (): string => csrfToken;

/** Takes the token of the session as it is now; another login has another. */
export function setCsrfToken(next: string): void {
  csrfToken = next;
}

let isLeaving = false;

/** The page is going away by itself: what ends meanwhile must not lead it elsewhere. */
export function suppressLoginRedirect(): void {
  isLeaving = true;
}

/** The session is over: on to the login, which leads back here. Never resolves, since the page is going away. */
function redirectToLogin(): Promise<never> {
  const here = location.pathname + location.search;
  if (!isLeaving) location.assign(`/login?continue=${encodeURIComponent(here)}`);
  suppressLoginRedirect();
  return new Promise(() => undefined);
}

/** The dashboard API, typed by its OpenAPI document. Refusals reject with an ApiError; take the answer with `unwrap`. */
export const api = createClient<paths>({ baseUrl: '/dashboard-api', credentials: 'same-origin' });

api.use({
  onRequest({ request }) {
    if (request.method !== 'GET') request.headers.set('X-CSRF-Token', getCsrfToken());
    return request;
  },
  async onResponse({ response }) {
    // A session that gets a new id, after a change of the password for one, gets a new token with it.
    const renewed = response.headers.get('X-CSRF-Token');
    if (renewed !== null) setCsrfToken(renewed);
    if (response.ok) return response;
    if (response.status === 401) return redirectToLogin();
    throw await readApiError(response);
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return error;
    return new ApiError(0, 'No answer came. Is the network there?', {});
  },
});

/** What a call was answered with: `unwrap(api.GET('/session'))`. @throws ApiError */
export async function unwrap<Data>(call: Promise<SuccessResult<Data> | ErrorResult>): Promise<Data> {
  const result = await call;
  // Refusals have rejected before they get here.
  if ('error' in result) throw await readApiError(result.response);
  return result.data;
}

interface SuccessResult<Data> {
  readonly data: Data;
  readonly response: Response;
}

interface ErrorResult {
  readonly error: unknown;
  readonly response: Response;
}
