import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import type { Background } from './background.ts';
import type { BusinessLookup } from './business-lookup.ts';
import type { Config } from './config.ts';
import type { PeopleRoutesDeps } from './http/people/people-routes.ts';
import type { Sessions } from './http/session.ts';
import { createMailer } from './mail/create-mailer.ts';
import { createLoginCounter } from './metrics/login-metrics.ts';
import { createPasswordHasher } from './people/password-hasher.ts';
import { createSealer } from './secrets/sealer.ts';
import { createSecretHasher } from './secrets/secret-hasher.ts';
import type { SessionStore } from './sessions/session-store.ts';
import type { Storage } from './storage.ts';
import { createPersonStore } from './store/person-store.ts';
import { createSignUpStore } from './store/sign-up-store.ts';
import { createTeamStore } from './store/team-store.ts';
import type { TeamStore } from './team/team-store.ts';
import type { Throttle } from './throttle/throttle.ts';

export interface AccountsDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly businesses: BusinessLookup;
  readonly background: Background;
  readonly throttle: Throttle;
  readonly sessions: Sessions;
  readonly sessionStore: SessionStore;
}

/** What the accounts of people work with, once for their pages and the dashboard together. */
export type Accounts = PeopleRoutesDeps & { readonly team: TeamStore };

export function createAccounts(deps: AccountsDeps): Accounts {
  const { config, storage, registry, logger, businesses, background } = deps;
  const { database, prisma } = storage;
  const sendMail = createMailer(config, logger);
  return {
    people: createPersonStore(database, prisma),
    signUps: createSignUpStore(database, prisma),
    team: createTeamStore(database, prisma),
    passwords: createPasswordHasher(),
    hasher: createSecretHasher(config.KEY_PEPPERS, config.CREDENTIAL_TAG_KEYS[0]),
    sealer: createSealer(config.ENCRYPTION_KEYS),
    postOffice: { sendMail, background, publicUrl: config.PUBLIC_URL },
    createBusiness: businesses.create,
    findBusiness: businesses.find,
    submitVerification: businesses.submitVerification,
    throttle: deps.throttle,
    sessions: deps.sessions,
    sessionStore: deps.sessionStore,
    countLogin: createLoginCounter(registry),
    now: Date.now,
  };
}
