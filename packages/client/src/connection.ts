import type { Credential } from './client.ts';
import type { OAuth, Tokens } from './oauth.ts';

/** Where the application keeps the tokens of one approval. */
export interface TokenStore {
  load(): Promise<Tokens>;
  /**
   * Calls `change` with the stored tokens while no other process does for this approval, stores what it resolves to, and
   * resolves to that. In SQL: a transaction around `SELECT … FOR UPDATE`, `change` and `UPDATE`.
   */
  lock(change: (tokens: Tokens) => Promise<Tokens>): Promise<Tokens>;
}

/** Milliseconds before its end at which an access token is replaced. */
const refreshEarlyMs = 120_000;

/** One business that has approved the application: a credential whose tokens are refreshed, by one process at a time. */
export class Connection implements Credential {
  readonly #oauth: OAuth;
  readonly #store: TokenStore;
  #renewal: Promise<string> | undefined;

  constructor(oauth: OAuth, store: TokenStore) {
    this.#oauth = oauth;
    this.#store = store;
  }

  /** An access token for the next two minutes at least. @throws as `renew` */
  async token(): Promise<string> {
    const { accessToken, expiresAt } = await this.#store.load();
    return Date.now() < expiresAt - refreshEarlyMs ? accessToken : this.renew(accessToken);
  }

  /**
   * Replaces the tokens, unless someone else already has.
   * @throws ApiError with the code `invalid_grant` when the business has disconnected; ConnectionError: then the next call repeats it
   */
  renew(refused: string): Promise<string> {
    this.#renewal ??= this.#replace(refused).finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  /** Ends the approval with all of its tokens. @throws ApiError, ConnectionError */
  async revoke(): Promise<void> {
    await this.#oauth.revoke((await this.#store.load()).refreshToken);
  }

  async #replace(refused: string): Promise<string> {
    const { accessToken } = await this.#store.lock(async (tokens) =>
      tokens.accessToken === refused ? this.#oauth.refresh(tokens) : tokens,
    );
    return accessToken;
  }
}

/** Keeps tokens in the memory of one process, for examples and tests. */
export class MemoryTokenStore implements TokenStore {
  #tokens: Promise<Tokens>;

  constructor(tokens: Tokens) {
    this.#tokens = Promise.resolve(tokens);
  }

  load(): Promise<Tokens> {
    return this.#tokens;
  }

  lock(change: (tokens: Tokens) => Promise<Tokens>): Promise<Tokens> {
    const before = this.#tokens;
    const changed = before.then(change);
    this.#tokens = changed.catch(() => before);
    return changed;
  }
}
