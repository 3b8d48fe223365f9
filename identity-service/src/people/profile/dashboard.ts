import { HttpError } from '@platform/service-kit/http/errors.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { rules, type Throttle } from '../../platform/throttle.ts';
import { checkAttempts, InvalidInput, incorrectPassword } from '../../web/dashboard-api/input.ts';
import { type Operation, type PersonCall, personOperation } from '../../web/dashboard-api/operation.ts';
import { incorrectPasswordText } from '../../web/input.ts';
import type { Sessions } from '../../web/sessions/browser-session.ts';
import { sessionReference } from '../../web/sessions/session.ts';
import { describeUserAgent } from '../../web/sessions/user-agent.ts';
import { qrPath } from '../pages/second-factor.ts';
import {
  afterNewPassword,
  beginSession,
  type EndSessionDeps,
  endOtherSessions,
  endSession,
  renewSession,
} from '../pages/sessions.ts';
import type { Assertion } from '../passkeys/passkey.ts';
import { type ChangePasswordDeps, changePassword, type PasswordHasher } from '../password.ts';
import {
  existingPerson,
  hasSecondFactor,
  normalizeEmail,
  personNameError,
  validateEmail,
} from '../person.ts';
import {
  type ConfirmedPerson,
  confirmSecondFactor,
  disableSecondFactor,
  incorrectCodeText,
  missingCodeText,
  offerSecondFactor,
  refusedCodeText,
  renewRecoveryCodes,
  type SecondFactorDeps,
  withPassword,
} from '../second-factor.ts';
import type { PersonStore } from '../store.ts';
import * as specs from './dashboard-schema.ts';

interface SecondFactorOperationsDeps extends SecondFactorDeps, ConfirmDeps {
  readonly sessions: Sessions;
}

/** Operations on the person's second factor and its recovery codes. */
function secondFactorOperations(deps: SecondFactorOperationsDeps): Operation[] {
  return [
    personOperation(specs.offerSecondFactor, async (call) => {
      const { actor, res } = call;
      const confirmed = await confirmPassword(deps, call);
      const sessionId = res.locals.session.id;
      const outcome = await offerSecondFactor(deps, { ...confirmed, actor, sessionId });
      switch (outcome.kind) {
        case 'wrong_password':
          throw incorrectPassword();
        case 'wrong_code':
          throw refusedCode();
        case 'already_on':
          throw failedPrecondition('second_factor_on', 'the second factor is already on');
        case 'offered': {
          const { secret, uri } = outcome;
          return { secret, uri, qr: qrPath(uri) };
        }
      }
    }),
    personOperation(specs.confirmSecondFactor, async ({ personId, body, actor, req, res }) => {
      await checkAttempts(deps.throttle, [[rules.factorConfirmationAccount, personId]]);
      const sessionId = res.locals.session.id;
      const outcome = await confirmSecondFactor(deps, { personId, sessionId, code: body.code, actor });
      if (outcome.kind === 'wrong_code') {
        throw new InvalidInput({ code: incorrectCodeText }, outcome.kind);
      }
      if (outcome.kind === 'nothing_offered') {
        throw failedPrecondition('nothing_offered', 'there is no second factor to confirm: start again');
      }
      await renewSession(deps.sessions, req, res, 'factor_shown');
      return { recoveryCodes: [...outcome.recoveryCodes] };
    }),
    personOperation(specs.renewRecoveryCodes, async (call) => {
      const { actor } = call;
      const outcome = await renewRecoveryCodes(deps, { ...(await confirmPassword(deps, call)), actor });
      if (outcome.kind === 'wrong_password') throw incorrectPassword();
      if (outcome.kind === 'wrong_code') throw refusedCode();
      if (outcome.kind === 'off') throw failedPrecondition('second_factor_off', 'the second factor is off');
      return { recoveryCodes: [...outcome.recoveryCodes] };
    }),
    personOperation(specs.disableSecondFactor, async (call) => {
      const { actor, req, res } = call;
      const outcome = await disableSecondFactor(deps, { ...(await confirmPassword(deps, call)), actor });
      if (outcome === 'wrong_password') throw incorrectPassword();
      if (outcome === 'wrong_code') throw refusedCode();
      if (outcome === 'off') throw failedPrecondition('second_factor_off', 'the authenticator app is off');
      await renewSession(deps.sessions, req, res, 'same_factors');
    }),
  ];
}

/** Error of a code that was used, or is wrong. */
export function refusedCode(): InvalidInput {
  return new InvalidInput({ code: refusedCodeText }, 'wrong_code');
}

/** An email address as it is stored. @throws InvalidInput */
export function parseEmail(submitted: string): string {
  const email = normalizeEmail(submitted);
  const error = validateEmail(email);
  if (error !== undefined) throw new InvalidInput({ email: error }, 'invalid_email');
  return email;
}

/** Parts that confirm who asks for a change of the account. */
export interface ConfirmDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
  readonly throttle: Throttle;
  /** Checks a challenge that a passkey of the person has signed for a change. */
  readonly checkConfirmation: (
    call: PersonCall<never, unknown, unknown>,
    passkey: Assertion,
  ) => Promise<boolean>;
}

interface Confirmation {
  readonly password: string;
  readonly code?: string | undefined;
  readonly passkey?: Assertion | undefined;
}

/**
 * The person, if the password is right and a passkey that replaces the code is valid. A code must only be present here:
 * `checkConfirmed` verifies it in the transaction of the change.
 * @throws InvalidInput, TooManyAttempts
 */
export async function confirmPassword(
  deps: ConfirmDeps,
  call: PersonCall<never, unknown, Confirmation>,
): Promise<ConfirmedPerson> {
  const { personId, body } = call;
  const { password, code = '', passkey } = body;
  await checkAttempts(deps.throttle, [[rules.passwordAccount, personId]]);
  const person = await withPassword(deps, personId, password);
  if (person === undefined) throw incorrectPassword();
  if (!hasSecondFactor(person)) return { person, code: undefined };
  if (passkey === undefined && code.trim() === '') {
    throw new InvalidInput({ code: missingCodeText(person) }, 'code_required');
  }
  await checkAttempts(deps.throttle, [[rules.secondFactorAccount, personId]]);
  if (passkey === undefined) return { person, code };
  if (!(await deps.checkConfirmation(call, passkey))) throw refusedPasskey();
  return { person, code: undefined };
}

/** Confirms by the password or a passkey that the person is still the one who logged in. */
function identityOperation(deps: ConfirmDeps & Pick<EndSessionDeps, 'sessionStore'>): Operation {
  return personOperation(specs.confirmIdentity, async (call) => {
    const { personId, body, res } = call;
    const { password = '', passkey } = body;
    await checkAttempts(deps.throttle, [[rules.passwordAccount, personId]]);
    if (passkey === undefined) {
      if ((await withPassword(deps, personId, password)) === undefined) throw incorrectPassword();
    } else if (!(await deps.checkConfirmation(call, passkey))) {
      throw refusedPasskey();
    }
    await deps.sessionStore.confirm(res.locals.session.id);
  });
}

function refusedPasskey(): InvalidInput {
  return new InvalidInput({ passkey: 'The passkey was not accepted. Try again.' }, 'wrong_passkey');
}

function failedPrecondition(reason: string, text: string): AppError {
  return new AppError('failed_precondition', reason, text);
}

/** Operations on the person's sessions. */
function sessionsOperations(deps: EndSessionDeps): Operation[] {
  return [
    personOperation(specs.listSessions, async ({ personId, res }) => {
      const sessions = await deps.sessionStore.list(personId);
      const current = sessionReference(res.locals.session.id);
      return {
        sessions: sessions.map(({ reference, createdAt, lastSeenAt, clientIp, userAgent }) => ({
          ref: reference,
          browser: describeUserAgent(userAgent),
          address: clientIp,
          beganAt: createdAt,
          lastSeenAt,
          isThisOne: reference === current,
        })),
      };
    }),
    personOperation(specs.endSession, async ({ param, req, res }) => {
      const ended = await endSession(deps, req, res, param('sessionRef'));
      if (ended === 'none') throw new HttpError(404, 'This session has already ended.');
    }),
    personOperation(specs.endOtherSessions, async ({ res }) => ({
      ended: await endOtherSessions(deps, res),
    })),
  ];
}

type ProfileOperationsDeps = ChangePasswordDeps & SecondFactorOperationsDeps & EndSessionDeps;

/** Operations on the person's own account: password, second factor, sessions. */
export function profileOperations(deps: ProfileOperationsDeps): Operation[] {
  return [
    personOperation(specs.getProfile, async ({ personId }) => {
      const person = existingPerson(await deps.people.find(personId));
      const { secondFactor, recoveryCodes } = person;
      return { ...person, secondFactor: secondFactor === 'on', recoveryCodesLeft: recoveryCodes };
    }),
    personOperation(specs.renamePerson, async ({ personId, body, actor }) => {
      const name = body.name.trim();
      const error = personNameError(name);
      if (error !== undefined) throw new InvalidInput({ name: error }, 'invalid_name');
      await deps.people.inTransaction(async (transaction) => {
        if (!(await transaction.rename(personId, name))) return;
        await transaction.audit(personId, { actor, action: 'person.renamed' });
      });
    }),
    identityOperation(deps),
    personOperation(specs.changePassword, async ({ personId, body, actor, req, res }) => {
      await checkAttempts(deps.throttle, [[rules.passwordAccount, personId]]);
      const outcome = await changePassword(deps, { personId, ...body, actor });
      switch (outcome.kind) {
        case 'wrong_password':
          throw new InvalidInput({ current: incorrectPasswordText }, outcome.kind);
        case 'refused':
          throw new InvalidInput({ next: outcome.error });
        case 'changed':
          await beginSession(
            deps.sessions,
            req,
            res,
            afterNewPassword(res.locals.session, personId, outcome.passwordSetAt),
          );
      }
    }),
    ...secondFactorOperations(deps),
    ...sessionsOperations(deps),
  ];
}
