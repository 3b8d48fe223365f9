/** The parts of a refusal that errors are made of. */
export interface Refusal {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  /** The body; may be no JSON. */
  readonly text: string;
}

/** The platform refused a request. Decide by `status`, or by `code`. */
export class ApiError extends Error {
  override readonly name: string = 'ApiError';
  /** HTTP status. */
  readonly status: number;
  /** `error` of the OAuth endpoints; elsewhere the section of /docs/errors, as `insufficient_scope`; else `http_` and the status. */
  readonly code: string;
  /** Search for it in the dashboard under Requests. */
  readonly requestId: string | undefined;
  /** Address of the page that explains the error. */
  readonly help: string | undefined;
  /** Milliseconds to wait, of `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor({ url, status, headers, text }: Refusal) {
    const { error, error_description, error_uri } = fieldsOf(text);
    const [, link = error_uri] = /<([^>]+)>; *rel="help"/.exec(headers.get('link') ?? '') ?? [];
    const help = link === undefined ? undefined : new URL(link, url);
    const isOAuth = error_description !== undefined && error !== undefined;
    const code = (isOAuth ? error : help?.hash.slice(1)) || `http_${status}`;
    super(`${status} ${code}: ${error_description ?? error ?? 'no message'}`);
    this.status = status;
    this.code = code;
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.help = help?.href;
    this.retryAfterMs = retryAfterOf(headers.get('retry-after'));
  }
}

/** 401: the credential is missing, unknown, revoked or expired; or the client secret or the address is wrong. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}

/** 403: a scope is missing, or access is suspended, frozen or banned; `code` says which where the platform does. */
export class PermissionError extends ApiError {
  override readonly name = 'PermissionError';
}

/** 404. */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}

/** 409 or 412: the record is another one than the request expected. Read it first. */
export class ConflictError extends ApiError {
  override readonly name = 'ConflictError';
}

/** 410: events behind the cursor are no longer kept. */
export class GoneError extends ApiError {
  override readonly name = 'GoneError';
}

/** 429, once waiting has not helped or would take too long. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError';
}

/** 5xx. */
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

/** No whole response came: no connection, the time limit, or a response that was cut off. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

const classes: Readonly<Record<number, new (refusal: Refusal) => ApiError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  412: ConflictError,
  429: RateLimitError,
};

/** The error of the class that belongs to the status. */
export function errorOf(refusal: Refusal): ApiError {
  const Class = classes[refusal.status] ?? (refusal.status >= 500 ? ServerError : ApiError);
  return new Class(refusal);
}

function fieldsOf(text: string): Partial<Record<'error' | 'error_description' | 'error_uri', string>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

function retryAfterOf(header: string | null): number | undefined {
  const ms = Number(header ?? Number.NaN) * 1_000;
  return ms >= 0 ? ms : undefined;
}
