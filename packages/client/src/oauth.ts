import { ConnectionError } from './errors.ts';
import { type Call, type Fetch, send } from './send.ts';

export interface OAuthOptions {
  /** Origin of the platform, which is its issuer (RFC 8414). */
  readonly baseUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** As registered with the application. */
  readonly redirectUri: string;
  readonly fetch?: Fetch;
}

/** An authorization request without a response yet. Keep it in the session of the user. */
export interface PendingAuthorization {
  readonly state: string;
  readonly codeVerifier: string;
}

/** Tokens of one approval. Keep all of it, encrypted, where only your server reads it. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** `Idempotency-Key` of the refresh that will replace these tokens: the same for every attempt, of every process. */
  readonly refreshKey: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Separated by blanks. */
  readonly scope: string;
}

/** The callback does not belong to the authorization request, or says that the business or the platform refused. */
export class CallbackError extends Error {
  override readonly name = 'CallbackError';
  /** `error` of the platform, as `access_denied`; undefined when the callback must be ignored, and the request stays pending. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Milliseconds for all attempts of a refresh: a later one would not get the tokens of the first, but end the approval. */
const refreshLimitMs = 50_000;
const attemptLimitMs = 10_000;

/** Your application at the platform: from the authorization request to the revocation. Runs on servers only. */
export class OAuth {
  readonly #options: OAuthOptions;

  constructor(options: OAuthOptions) {
    this.#options = options;
  }

  /** A new authorization request: where to send the browser, and what to keep until it returns. */
  async begin(
    asked: { readonly scope?: string; readonly prompt?: string } = {},
  ): Promise<{ readonly url: string; readonly pending: PendingAuthorization }> {
    const { baseUrl, clientId, redirectUri } = this.#options;
    const pending = { state: randomText(), codeVerifier: randomText() };
    const url = new URL('/oauth/authorize', baseUrl);
    const challenge = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.codeVerifier));
    url.search = String(
      new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        state: pending.state,
        code_challenge: base64url(new Uint8Array(challenge)),
        code_challenge_method: 'S256',
        ...asked,
      }),
    );
    return { url: url.href, pending };
  }

  /**
   * Checks a callback, `state` and `iss` (RFC 9207) first, and exchanges its code.
   * @throws CallbackError; ApiError `invalid_grant` when the code is refused; ConnectionError, and then the business has to connect again
   */
  finish(callback: string | URL, pending: PendingAuthorization): Promise<Tokens> {
    return this.exchange(this.readCallback(callback, pending), pending);
  }

  /** The code of a callback. @throws CallbackError */
  readCallback(callback: string | URL, { state }: PendingAuthorization): string {
    const { searchParams } = new URL(callback, this.#options.redirectUri);
    const read = (name: string) => {
      const [value, ...others] = searchParams.getAll(name);
      return others.length === 0 ? value : undefined;
    };
    if (read('state') !== state) throw new CallbackError('state is not the one that was sent');
    if (read('iss') !== new URL(this.#options.baseUrl).origin)
      throw new CallbackError('iss is another platform');
    const error = searchParams.get('error');
    if (error !== null) throw new CallbackError(`${error}: ${searchParams.get('error_description')}`, error);
    const code = read('code');
    if (code === undefined) throw new CallbackError('the callback has no code');
    return code;
  }

  /** Exchanges a code, once: one that is sent twice ends the approval. @throws ApiError, ConnectionError */
  exchange(code: string, { codeVerifier }: PendingAuthorization): Promise<Tokens> {
    const { redirectUri } = this.#options;
    const grant = {
      grant_type: 'authorization_code',
      code,
      code_verifier: codeVerifier,
      redirect_uri: redirectUri,
    };
    return this.#issue({ fields: grant, isRepeatable: false });
  }

  /**
   * New tokens for those of one approval; a lost response is asked for again. A `Connection` calls it under the lock of its store.
   * @throws ApiError with the code `invalid_grant` when the approval has ended; ConnectionError, after 50 seconds at the latest
   */
  async refresh({ refreshToken, refreshKey }: Tokens): Promise<Tokens> {
    const signal = AbortSignal.timeout(refreshLimitMs);
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const headers = { 'Idempotency-Key': refreshKey };
    try {
      return await this.#issue({ fields, headers, signal, isRepeatable: true });
    } catch (cause) {
      if (cause !== signal.reason) throw cause;
      throw new ConnectionError('the refresh got no whole response in 50 seconds', { cause });
    }
  }

  /** Ends a token; a refresh token ends its whole approval. @throws ApiError, ConnectionError: then it may still work */
  async revoke(token: string, kind: 'refresh_token' | 'access_token' = 'refresh_token'): Promise<void> {
    await this.#post('/v2/oauth/revoke', { fields: { token, token_type: kind }, isRepeatable: true });
  }

  async #issue(form: Form): Promise<Tokens> {
    const { access_token, refresh_token, expires_in, scope } = Object(
      await this.#post('/v2/oauth/token', form),
    );
    return {
      accessToken: access_token,
      refreshToken: refresh_token,
      refreshKey: crypto.randomUUID(),
      expiresAt: Date.now() + expires_in * 1_000,
      scope,
    };
  }

  async #post(path: string, { fields, headers, ...how }: Form): Promise<unknown> {
    const { baseUrl, clientId, clientSecret, fetch } = this.#options;
    const patience = { timeoutMs: attemptLimitMs, ...(fetch && { fetch }) };
    const { data } = await send(patience, {
      ...how,
      method: 'POST',
      url: new URL(path, baseUrl),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: String(new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...fields })),
    });
    return data;
  }
}

interface Form extends Pick<Call, 'signal' | 'isRepeatable'> {
  readonly fields: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** 256 random bits, as a state or a verifier. */
const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes)).replace(
    /[+/=]/g,
    (character) => ({ '+': '-', '/': '_' })[character] ?? '',
  );
