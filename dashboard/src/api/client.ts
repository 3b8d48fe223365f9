import { QueryClient } from '@tanstack/react-query';
import createClient from 'openapi-fetch';
import type { paths } from '../generated/dashboard-api.d.ts';

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

/** An answer of the dashboard API that is a refusal, or that did not come. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Tells refusals of one status apart. */
  readonly reason: string | undefined;
  /** What is wrong with each field of the request, in words for the person who filled it in. */
  readonly fields: Readonly<Record<string, string>>;
  /** What support needs to find the request in the logs. */
  readonly requestId: string | undefined;

  constructor(
    status: number,
    text: string,
    details: Partial<Pick<ApiError, 'reason' | 'fields' | 'requestId'>>,
  ) {
    super(text);
    this.status = status;
    this.reason = details.reason;
    this.fields = details.fields ?? {};
    this.requestId = details.requestId;
  }

  /** Asking again may help: nothing came back, or the server could not. */
  get isTransient(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** The error in an answer. */
async function toApiError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('X-Request-Id') ?? undefined;
  const body: unknown = await response.json().catch(() => undefined);
  const text = textOf(body, 'error') ?? `The server answered with status ${response.status}.`;
  return new ApiError(response.status, text, {
    reason: textOf(body, 'reason'),
    fields: fieldsOf(body),
    requestId,
  });
}

function textOf(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : undefined;
}

function fieldsOf(body: unknown): Record<string, string> {
  const fields: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'fields') : undefined;
  if (typeof fields !== 'object' || fields === null) return {};
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, String(text)]));
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

/** Milliseconds for which an answer is shown again without asking. */
const freshMs = 30_000;

/** How often a question is asked again; each time later. */
const maxRetries = 2;

/** Asks again only what changes nothing, and only where that may help. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: freshMs,
      retry: (count, error) => count < maxRetries && error instanceof ApiError && error.isTransient,
      retryDelay: (count) => 500 * 2 ** count,
      refetchOnWindowFocus: false,
      // The browser does not always know whether it is online; an attempt tells.
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
