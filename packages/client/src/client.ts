import { AuthenticationError } from './errors.ts';
import type { Data, Given, Item, Operation, PagedOperation } from './operations.ts';
import { type Call, type Patience, type Received, send } from './send.ts';

/** Access tokens that are replaced, as a `Connection` has them. */
export interface Credential {
  /** The string to send. */
  token(): Promise<string>;
  /** Another one, after the platform has refused `refused`. */
  renew(refused: string): Promise<string>;
}

export interface ClientOptions extends Patience {
  /** Origin of the platform, `https://api.example.com`. */
  readonly baseUrl: string;
  /** An API key, or the connection of a business that has approved your application. */
  readonly credential: string | Credential;
}

/** A successful response. */
export interface ApiResponse<Op extends Operation> {
  readonly status: number;
  readonly headers: Headers;
  readonly data: Data<Op>;
}

/** Parts of the request of any operation, without their exact types. */
interface AnyGiven {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

interface AnyPage {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/** Sends requests with one credential. */
export class Client {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Sends one operation. Repeats it where that is safe: GET, DELETE, and POST, which gets an `Idempotency-Key`.
   * @throws ApiError, with the status 304 for `If-None-Match` and an unchanged record; ConnectionError; the reason of the signal
   */
  async request<Op extends Operation>(
    operation: Op,
    ...[given]: object extends Given<Op> ? [given?: Given<Op>] : [given: Given<Op>]
  ): Promise<ApiResponse<Op>> {
    return (await this.#sendAuthorized(
      this.#callOf(operation, (given ?? {}) as AnyGiven),
    )) as ApiResponse<Op>;
  }

  /** Pages of a list, from the cursor in `query` on. Events end with an empty page, whose cursor is that of the end. */
  async *pages<Op extends PagedOperation>(operation: Op, given?: Given<Op>): AsyncGenerator<Data<Op>, void> {
    const parameter = operation === 'GET /v2/events' ? 'after' : 'cursor';
    let { query, signal } = (given ?? {}) as AnyGiven;
    for (;;) {
      const call = this.#callOf(operation, { query: { limit: 100, ...query }, signal });
      const page = (await this.#sendAuthorized(call)).data as AnyPage;
      yield page as Data<Op>;
      if (page.next_cursor === null || page.data.length === 0) return;
      query = { ...query, [parameter]: page.next_cursor };
    }
  }

  /** Every record of a list, page by page. */
  async *each<Op extends PagedOperation>(operation: Op, given?: Given<Op>): AsyncGenerator<Item<Op>, void> {
    for await (const page of this.pages(operation, given)) yield* (page as AnyPage).data as Item<Op>[];
  }

  #callOf(operation: Operation, { path = {}, query = {}, headers, body, signal }: AnyGiven): Call {
    const [method = '', template = ''] = operation.split(' ');
    const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
    const url = new URL(filled, this.#options.baseUrl);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return {
      method,
      url,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(method === 'POST' && { 'Idempotency-Key': crypto.randomUUID() }),
        ...headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
      isRepeatable: method !== 'PATCH',
    };
  }

  async #sendAuthorized(call: Call): Promise<Received> {
    const { credential } = this.#options;
    if (!call.url.pathname.startsWith('/v2/')) return this.#send(call);
    if (typeof credential === 'string') return this.#send(call, credential);
    const token = await credential.token();
    try {
      return await this.#send(call, token);
    } catch (error) {
      if (!(error instanceof AuthenticationError)) throw error;
      return this.#send(call, await credential.renew(token));
    }
  }

  #send(call: Call, token?: string): Promise<Received> {
    const { timeoutMs = 30_000 } = this.#options;
    // A request that waits for events takes so much longer.
    const waitMs = Number(call.url.searchParams.get('wait')) * 1_000;
    const authorization = token !== undefined && { Authorization: `Bearer ${token}` };
    const patience = { ...this.#options, timeoutMs: timeoutMs + waitMs };
    return send(patience, { ...call, headers: { ...call.headers, ...authorization } });
  }
}
