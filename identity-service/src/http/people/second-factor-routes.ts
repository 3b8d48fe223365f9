import { AppError } from '@platform/service-kit/app-error.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { Faults } from '../../people/faults.ts';
import type { PersonWithSecrets } from '../../people/person.ts';
import {
  confirmSecondFactor,
  disableSecondFactor,
  offerSecondFactor,
  renewRecoveryCodes,
  type SecondFactorDeps,
} from '../../people/second-factor.ts';
import { totpUri } from '../../people/totp.ts';
import { openTotpSecret } from '../../people/totp-secret.ts';
import { rules } from '../../throttle/rules.ts';
import type { Throttle } from '../../throttle/throttle.ts';
import { type Answer, handle } from '../answer.ts';
import type { Page } from '../pages/layout.ts';
import { fieldsOf } from '../read-form.ts';
import { personOf, requirePerson } from '../require-person.ts';
import { exactRouter } from '../router.ts';
import type { BrowserSession, Sessions } from '../session.ts';
import { throttled } from '../throttle-page.ts';
import { renewSession } from './begin-session.ts';
import { personActor } from './person-actor.ts';
import { offeredPage, offPage, onPage, recoveryCodesPage } from './second-factor-page.ts';

export interface SecondFactorRoutesDeps extends SecondFactorDeps {
  readonly sessions: Sessions;
  readonly throttle: Throttle;
}

const here = '/account/second-factor';
const wrongPassword = { password: 'This is not your password.' };
const beginForm = z.strictObject({ password: z.string() });
const confirmForm = z.strictObject({ code: z.string() });
const changeForm = z.strictObject({ password: z.string(), do: z.enum(['codes', 'off']) });

/** The second factor of the person: on, off, and its recovery codes. */
export function secondFactorRoutes(deps: SecondFactorRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    here,
    requirePerson,
    handle((_req, res) => show(deps, res)),
  );
  router.post(
    `${here}/begin`,
    requirePerson,
    handle((_req, res) => begin(deps, res)),
  );
  router.post(
    `${here}/confirm`,
    requirePerson,
    handle((req, res) => confirm(deps, req, res)),
  );
  router.post(
    `${here}/change`,
    requirePerson,
    handle((req, res) => change(deps, req, res)),
  );
  return router;
}

async function begin(deps: SecondFactorRoutesDeps, res: Response): Promise<Answer> {
  const { password } = fieldsOf(beginForm, res.locals.form);
  const refusal = await limited(deps, res, rules.passwordAccount);
  if (refusal !== undefined) return refusal;
  const personId = personOf(res);
  const offered = await offerSecondFactor(deps, { personId, password, actor: personActor(res, personId) });
  return offered.kind === 'wrong_password' ? show(deps, res, wrongPassword) : { redirect: here };
}

async function confirm(deps: SecondFactorRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const { code } = fieldsOf(confirmForm, res.locals.form);
  const refusal = await limited(deps, res, rules.secondFactorAccount);
  if (refusal !== undefined) return refusal;
  const personId = personOf(res);
  const outcome = await confirmSecondFactor(deps, { personId, code, actor: personActor(res, personId) });
  switch (outcome.kind) {
    case 'wrong_code':
      return show(deps, res, { code: 'This code is wrong. Is the clock of your phone right?' });
    case 'nothing_offered':
      return { redirect: here };
    case 'on':
      await renewSession(deps.sessions, req, res);
      return { page: recoveryCodesPage(outcome.recoveryCodes) };
  }
}

async function change(deps: SecondFactorRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const fields = fieldsOf(changeForm, res.locals.form);
  const refusal = await limited(deps, res, rules.passwordAccount);
  if (refusal !== undefined) return refusal;
  const personId = personOf(res);
  const input = { personId, password: fields.password, actor: personActor(res, personId) };
  if (fields.do === 'codes') {
    const outcome = await renewRecoveryCodes(deps, input);
    if (outcome.kind === 'renewed') return { page: recoveryCodesPage(outcome.recoveryCodes) };
    return show(deps, res, wrongPassword);
  }
  if (!(await disableSecondFactor(deps, input))) return show(deps, res, wrongPassword);
  await renewSession(deps.sessions, req, res);
  return { redirect: here };
}

/** The page for where the second factor stands; with faults it answers a form. */
async function show(deps: SecondFactorRoutesDeps, res: Response, faults?: Faults): Promise<Answer> {
  const person = await deps.people.findWithSecrets(personOf(res));
  if (person === undefined) throw new AppError('internal', 'person_gone', 'unexpected error');
  const page = pageFor(deps, res.locals.session, person, faults ?? {});
  return { status: faults === undefined ? 200 : 400, page };
}

function pageFor(
  { sealer }: SecondFactorRoutesDeps,
  session: BrowserSession,
  person: PersonWithSecrets,
  faults: Faults,
): Page {
  switch (person.secondFactor) {
    case 'off':
      return offPage({ session, faults });
    case 'offered': {
      const secret = openTotpSecret(sealer, person);
      return offeredPage({ session, secret, uri: totpUri(secret, person.email), faults });
    }
    case 'on':
      return onPage({ session, person, faults });
  }
}

function limited(
  { throttle }: SecondFactorRoutesDeps,
  res: Response,
  rule: (typeof rules)[keyof typeof rules],
): Promise<Answer | undefined> {
  return throttled(throttle, [[rule, personOf(res)]]);
}
