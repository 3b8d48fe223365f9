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
export async function readApiError(response: Response): Promise<ApiError> {
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

/**
 * What the server has against fields of a form, for `form.setErrors`: in a mutation's `onError`. Faults of fields that the
 * form does not have are shown by ErrorAlert, with the error's own text.
 */
export function fieldErrors(error: Error): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  const sentences = Object.entries(error.fields).map(([name, text]) => [name, toSentence(text)] as const);
  return Object.fromEntries(sentences);
}

/** A text that was written to stand behind a colon, for standing alone. */
export function toSentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
