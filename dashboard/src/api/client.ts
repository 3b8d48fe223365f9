import createClient from 'openapi-fetch';
import type { paths } from '../generated/dashboard-api.d.ts';
import { ApiError, toApiError } from './api-error.ts';
import { currentCsrfToken, keepCsrfToken } from './csrf-token.ts';
import { leaveForLogin } from './leave-for-login.ts';

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
