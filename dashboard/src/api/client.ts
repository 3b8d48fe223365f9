import createClient from 'openapi-fetch';
import type { paths } from '../generated/dashboard-api.d.ts';
import { ApiError, toApiError } from './errors.ts';

let token = '';

/** For the header of everything that changes something. */
export const currentCsrfToken = (): string => token;

/** Takes the token of the session as it is now; another login has another. */
export function keepCsrfToken(next: string): void {
  token = next;
}

let isLeaving = false;

/** The page is going away by itself: what ends meanwhile must not lead it elsewhere. */
export function beginLeaving(): void {
  isLeaving = true;
}

/** The session is over: on to the login, which leads back here. Never resolves, since the page is going away. */
function leaveForLogin(): Promise<never> {
  const here = location.pathname + location.search;
  if (!isLeaving) location.assign(`/login?continue=${encodeURIComponent(here)}`);
  beginLeaving();
  return new Promise(() => undefined);
}

/** The dashboard API, typed by its OpenAPI document. Refusals reject with an ApiError; take the answer with `answerOf`. */
export const api = createClient<paths>({ baseUrl: '/dashboard-api', credentials: 'same-origin' });

api.use({
  onRequest({ request }) {
    if (request.method !== 'GET') request.headers.set('X-CSRF-Token', currentCsrfToken());
    return request;
  },
  async onResponse({ response }) {
    // A session that gets a new id, after a change of the password for one, gets a new token with it.
    const renewed = response.headers.get('X-CSRF-Token');
    if (renewed !== null) keepCsrfToken(renewed);
    if (response.ok) return response;
    if (response.status === 401) return leaveForLogin();
    throw await toApiError(response);
  },
  onError({ error }) {
    if (error instanceof DOMException && error.name === 'AbortError') return error;
    return new ApiError(0, 'No answer came. Is the network there?', {});
  },
});

/** What a call was answered with: `answerOf(api.GET('/session'))`. @throws ApiError */
export async function answerOf<Answer>(call: Promise<Answered<Answer> | Refused>): Promise<Answer> {
  const result = await call;
  // Refusals have rejected before they get here.
  if ('error' in result) throw await toApiError(result.response);
  return result.data;
}

interface Answered<Answer> {
  readonly data: Answer;
  readonly response: Response;
}

interface Refused {
  readonly error: unknown;
  readonly response: Response;
}
