import type { FindBusiness } from '../../applications/business-profile.ts';
import type { AuthorizationStore } from '../../oauth/authorization/authorization-store.ts';
import type { Sealer } from '../../secrets/sealer.ts';
import type { SecretHasher } from '../../secrets/secret-hasher.ts';
import type { Throttle } from '../../throttle/throttle.ts';

/** What the pages of the authorization endpoint need. */
export interface AuthorizeDeps {
  readonly store: AuthorizationStore;
  readonly findBusiness: FindBusiness;
  readonly hasher: SecretHasher;
  readonly sealer: Sealer;
  readonly throttle: Throttle;
  readonly codeLifetimeSeconds: number;
  /** Origin under which everybody knows the platform. */
  readonly issuer: string;
}
