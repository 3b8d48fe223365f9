import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import { createSealer } from '@platform/service-kit/sealer.ts';
import type { Router } from 'express';
import type { BusinessLookup } from './clients/business.ts';
import type { Config } from './config.ts';
import { createOperatorStore } from './operators/store.ts';
import { createDeletionStore, type DeletionStore } from './people/account-deletion/store.ts';
import type { ConfirmDeps } from './people/dashboard.ts';
import { type EmailChangeRoutesDeps, emailChangeRoutes } from './people/email-change/pages.ts';
import { createEmailChangeStore } from './people/email-change/store.ts';
import { createLoginCounter } from './people/log-in.ts';
import { type AccountRoutesDeps, accountRoutes } from './people/pages/account.ts';
import { type LoginRoutesDeps, loginRoutes } from './people/pages/login.ts';
import { type PasswordRoutesDeps, passwordRoutes } from './people/pages/password.ts';
import { type SecondFactorRoutesDeps, secondFactorRoutes } from './people/pages/second-factor.ts';
import { type EndSessionDeps, sessionRoutes } from './people/pages/sessions.ts';
import { confirmationCheck } from './people/passkeys/dashboard.ts';
import type { PasskeyDeps } from './people/passkeys/operations.ts';
import { passkeyRoutes } from './people/passkeys/pages.ts';
import { relyingPartyOf } from './people/passkeys/passkey.ts';
import { createPasskeyStore } from './people/passkeys/store.ts';
import { createPasswordHasher } from './people/password.ts';
import { type SignUpRoutesDeps, signUpRoutes } from './people/sign-up/pages.ts';
import { createSignUpStore } from './people/sign-up/store.ts';
import { createPersonStore } from './people/store.ts';
import { createTeamStore, type TeamStore } from './people/team/store.ts';
import type { Background } from './platform/background.ts';
import { createSecretHasher } from './platform/secrets.ts';
import type { Storage } from './platform/storage.ts';
import type { Throttle } from './platform/throttle.ts';
import { createMailer, sendInBackground } from './web/mail.ts';
import type { Sessions } from './web/sessions/browser-session.ts';
import type { SessionStore } from './web/sessions/store.ts';

type PeopleRoutesDeps = AccountRoutesDeps &
  LoginRoutesDeps &
  PasswordRoutesDeps &
  SecondFactorRoutesDeps &
  EndSessionDeps &
  EmailChangeRoutesDeps &
  SignUpRoutesDeps;

/** Every page that people need to sign up, log in and look after their account. */
export function peopleRoutes(deps: PeopleRoutesDeps): Router[] {
  return [
    signUpRoutes(deps),
    loginRoutes(deps),
    passkeyRoutes(deps),
    passwordRoutes(deps),
    accountRoutes(deps),
    secondFactorRoutes(deps),
    sessionRoutes(deps),
    emailChangeRoutes(deps),
  ];
}

interface AccountsDeps {
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

/** Dependencies of accounts, shared by their pages and the dashboard. */
export type Accounts = PeopleRoutesDeps &
  PasskeyDeps &
  ConfirmDeps & { readonly team: TeamStore; readonly deletions: DeletionStore };

export function createAccounts(deps: AccountsDeps): Accounts {
  const { config, storage, registry, logger, businesses, background } = deps;
  const { database, prisma } = storage;
  const mailer = { sendMail: createMailer(config, logger), background, publicUrl: config.PUBLIC_URL };
  const passkeys = {
    passkeys: createPasskeyStore(database, prisma),
    relyingParty: relyingPartyOf(config.PUBLIC_URL),
  };
  return {
    ...passkeys,
    checkConfirmation: confirmationCheck(passkeys),
    people: createPersonStore(database, prisma),
    emailChanges: createEmailChangeStore(database, prisma),
    deletions: createDeletionStore(database, prisma),
    signUps: createSignUpStore(database, prisma),
    team: createTeamStore(database, prisma),
    operators: createOperatorStore(database, prisma),
    passwords: createPasswordHasher(),
    hasher: createSecretHasher(config.KEY_PEPPERS, config.CREDENTIAL_TAG_KEYS[0]),
    sealer: createSealer(config.ENCRYPTION_KEYS),
    mailer,
    createBusiness: businesses.create,
    findBusiness: businesses.find,
    submitVerification: businesses.submitVerification,
    notifyOperators: (email) => {
      const { OPERATORS_EMAIL: to } = config;
      if (to !== undefined) sendInBackground(mailer, to, email);
    },
    throttle: deps.throttle,
    sessions: deps.sessions,
    sessionStore: deps.sessionStore,
    countLogin: createLoginCounter(registry),
    now: Date.now,
  };
}
