import type { Scope } from '../../authorization/scope.ts';

/** An application that has authenticated. */
export interface Client {
  readonly applicationId: string;
  readonly clientId: string;
  /** What it may ask for at present. */
  readonly scopes: readonly Scope[];
}

/** A client as its credentials find it. */
export interface StoredClient extends Client {
  readonly ipWhitelist: readonly string[];
  /** The secret that was shown. */
  readonly secretId: string;
}

/** Where clients are found. */
export interface ClientStore {
  /** One lookup by every hash of the secret, so that an unknown client and a wrong secret take the same time. */
  find(clientId: string, secretHashes: readonly Buffer[]): Promise<StoredClient | undefined>;
  /** Notes the use of a secret, to about ten seconds. */
  noteUse(secretId: string): Promise<void>;
}
