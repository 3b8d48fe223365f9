/** A failed request to the dashboard API: an error response, or none at all. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Error code, which distinguishes errors of the same status. */
  readonly reason: string | undefined;
  /** Validation errors by field, as shown in forms. */
  readonly fields: Readonly<Record<string, string>>;
  /** X-Request-Id, by which support finds the request in the logs. */
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

  /** Whether a retry may succeed: no response, or a server error. */
  get isTransient(): boolean {
    return this.status === 0 || this.status >= 500;
  }
}

/** Parses an error response. */
export async function readApiError(response: Response): Promise<ApiError> {
  const requestId = response.headers.get('X-Request-Id') ?? undefined;
  const body: unknown = await response.json().catch(() => undefined);
  const text = stringField(body, 'error') ?? `The server responded with status ${response.status}.`;
  return new ApiError(response.status, text, {
    reason: stringField(body, 'reason'),
    fields: readFields(body),
    requestId,
  });
}

function stringField(body: unknown, name: string): string | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const value: unknown = Reflect.get(body, name);
  return typeof value === 'string' ? value : undefined;
}

function readFields(body: unknown): Record<string, string> {
  const fields: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'fields') : undefined;
  if (typeof fields !== 'object' || fields === null) return {};
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, String(text)]));
}

/** The text to show for an error: the server's message, or a general one for errors in this page. */
export const errorMessage = (error: Error): string =>
  error instanceof ApiError ? error.message : 'Something went wrong on this page.';

/** Validation errors by field, for `form.setErrors` in a mutation's `onError`. ErrorAlert shows the error's message. */
export function fieldErrors(error: Error): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  const entries = Object.entries(error.fields).map(([name, text]) => [name, toSentence(text)] as const);
  return Object.fromEntries(entries);
}

/**
 * The text of an alert beside a form: the message of an error, or errors of fields without a control of their own.
 * Undefined when the controls show all of it.
 * @param shown fields whose errors stand at their controls; without it, always the message
 */
export function alertText(error: Error, shown?: readonly string[]): string | undefined {
  const errors = Object.entries(fieldErrors(error));
  if (shown === undefined || errors.length === 0) return errorMessage(error);
  const others = errors.filter(([field]) => !shown.includes(field));
  return others.length === 0 ? undefined : others.map(([, text]) => text).join(' ');
}

/** Capitalizes a fragment and ends it with a period. */
export function toSentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
