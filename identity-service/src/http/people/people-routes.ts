import type { Router } from 'express';
import { type AccountRoutesDeps, accountRoutes } from './account-routes.ts';
import { type LoginRoutesDeps, loginRoutes } from './login-routes.ts';
import { type PasswordRoutesDeps, passwordRoutes } from './password-routes.ts';
import { type SecondFactorRoutesDeps, secondFactorRoutes } from './second-factor-routes.ts';
import { type SessionRoutesDeps, sessionRoutes } from './session-routes.ts';
import { type SignUpRoutesDeps, signUpRoutes } from './sign-up-routes.ts';

export type PeopleRoutesDeps = AccountRoutesDeps &
  LoginRoutesDeps &
  PasswordRoutesDeps &
  SecondFactorRoutesDeps &
  SessionRoutesDeps &
  SignUpRoutesDeps;

/** Every page that people need to sign up, log in and look after their account. */
export function peopleRoutes(deps: PeopleRoutesDeps): Router[] {
  return [
    signUpRoutes(deps),
    loginRoutes(deps),
    passwordRoutes(deps),
    accountRoutes(deps),
    secondFactorRoutes(deps),
    sessionRoutes(deps),
  ];
}
