import type { Sealer } from '@platform/service-kit/secrets/sealer.ts';
import type { Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Router } from 'express';
import type { Acts } from './acts.ts';
import type { WebhookClient } from './clients/webhook.ts';
import type { Config } from './config.ts';
import { emailChangeRoutes } from './people/email-change/pages.ts';
import { createLoginCounter } from './people/log-in.ts';
import { accountRoutes } from './people/pages/account.ts';
import { loginRoutes } from './people/pages/login.ts';
import { passkeyRoutes } from './people/pages/passkeys.ts';
import { passwordRoutes } from './people/pages/password.ts';
import { secondFactorRoutes } from './people/pages/second-factor.ts';
import { sessionRoutes } from './people/pages/sessions.ts';
import { relyingPartyOf } from './people/passkeys/passkey.ts';
import { createPasswordHasher } from './people/password.ts';
import { confirmationCheck } from './people/profile/passkeys/dashboard.ts';
import { signUpRoutes } from './people/sign-up/pages.ts';
import type { Storage } from './platform/storage.ts';
import { createThrottle } from './platform/throttle.ts';
import { type EmailContent, sendInBackground } from './web/mail.ts';
import { createSessions } from './web/sessions/browser-session.ts';
import { createSessionStore } from './web/sessions/store.ts';

/** Every page that people need to sign up, log in and look after their account. */
export function peopleRoutes(deps: Accounts): Router[] {
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

export interface AccountsDeps extends Acts {
  readonly config: Config;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly sealer: Sealer;
  readonly webhooks: WebhookClient | undefined;
}

/** Parts of accounts, shared by their pages and the dashboard. */
export type Accounts = ReturnType<typeof createAccounts>;

export function createAccounts(deps: AccountsDeps) {
  const { config, mailer } = deps;
  const { database, prisma } = deps.storage;
  const relyingParty = relyingPartyOf(config.PUBLIC_URL);
  const sessionStore = createSessionStore(database, prisma, {
    idleSeconds: config.SESSION_IDLE_SECONDS,
    totalSeconds: config.SESSION_SECONDS,
  });
  return {
    ...deps,
    relyingParty,
    checkConfirmation: confirmationCheck({ passkeys: deps.passkeys, relyingParty }),
    passwords: createPasswordHasher(),
    notifyOperators: (email: EmailContent) => {
      const { OPERATORS_EMAIL: to } = config;
      if (to !== undefined) sendInBackground(mailer, to, email);
    },
    throttle: createThrottle(database, prisma, config.THROTTLE_SCALE),
    sessions: createSessions({
      store: sessionStore,
      secrets: config.SESSION_SECRETS,
      publicUrl: config.PUBLIC_URL,
    }),
    sessionStore,
    countLogin: createLoginCounter(deps.registry),
    now: Date.now,
  };
}
