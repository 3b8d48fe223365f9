import createClient, { type Middleware } from 'openapi-fetch';
import { isShownOnce } from '../components/stay.ts';
import type { paths } from '../generated/dashboard-api.d.ts';
import { ApiError, readApiError } from './errors.ts';

let csrfToken = '';

/** Value of the X-CSRF-Token header, required on every request that changes something. */
export const getCsrfToken = (): string => csrfToken;

/** Stores the token of the current session. */
export function setCsrfToken(token: string): void {
  csrfToken = token;
}

let isLeaving = false;

/** Call before navigating away, so that a 401 in the meantime does not redirect elsewhere. */
export function suppressLoginRedirect(): void {
  isLeaving = true;
}

/** Redirects to the login page, which returns here. Never resolves, since the page unloads. */
function redirectToLogin(): Promise<never> {
  const here = location.pathname + location.search;
  if (!isLeaving) location.assign(`/login?continue=${encodeURIComponent(here)}&after=session-ended`);
  suppressLoginRedirect();
  return new Promise(() => undefined);
}

/** Adds the CSRF token. Error responses reject with ApiError, 401 leads to the login. */
export const pageRequests: Middleware = {
  onRequest({ request }) {
    if (request.method !== 'GET') request.headers.set('X-CSRF-Token', getCsrfToken());
    return request;
  },
  async onResponse({ response }) {
    // A new session id, for example after a password change, comes with a new CSRF token.
    const renewed = response.headers.get('X-CSRF-Token');
    if (renewed !== null) setCsrfToken(renewed);
    if (response.ok) return response;
    // While something is shown only once, the redirect to the login waits for a later request.
    if (response.status === 401 && !isShownOnce()) return redirectToLogin();
    throw await readApiError(response);
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return error;
    return new ApiError(0, 'No response from the server. Check your connection.', {});
  },
};

/** Client of the dashboard API, typed by its OpenAPI document. */
export const api = createClient<paths>({ baseUrl: '/dashboard-api', credentials: 'same-origin' });

api.use(pageRequests);

/** The data of a response: `unwrap(api.GET('/session'))`. @throws ApiError */
export async function unwrap<Data>(call: Promise<SuccessResult<Data> | ErrorResult>): Promise<Data> {
  const result = await call;
  // Only for the types, since onResponse throws for error responses.
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
