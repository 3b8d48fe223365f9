import type { Propagate } from '../../generations/propagation.ts';
import type { ArrivalClock } from './arrival-clock.ts';
import type { IdempotencyDeps } from './idempotency.ts';
import type { TokenLifetimes } from './token-pair.ts';
import type { TokenStore } from './token-store.ts';

/** What the grant types and revocation need. */
export interface TokenDeps extends IdempotencyDeps {
  readonly tokens: TokenStore;
  readonly lifetimes: TokenLifetimes;
  readonly propagate: Propagate;
  readonly clock: ArrivalClock;
}
