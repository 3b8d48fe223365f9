import type { Propagate, Propagation } from '../generations/propagation.ts';
import type { ApiKey } from './api-key.ts';
import type { ApiKeyStore } from './api-key-store.ts';

export interface ChangeApiKeyDeps {
  readonly keys: ApiKeyStore;
  readonly propagate: Propagate;
}

/** A key after a change, and whether every gateway knows. */
export interface ChangedApiKey {
  readonly key: ApiKey;
  readonly propagation: Propagation;
}
