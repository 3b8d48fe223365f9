import { HttpError } from '@platform/service-kit/http/errors.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { nameError } from '../../../platform/text.ts';
import { rules } from '../../../platform/throttle.ts';
import { checkAttempts, InvalidInput, incorrectPassword } from '../../../web/dashboard-api/input.ts';
import { type Operation, type PersonCall, personOperation } from '../../../web/dashboard-api/operation.ts';
import type { Sessions } from '../../../web/sessions/browser-session.ts';
import { renewSession } from '../../pages/sessions.ts';
import {
  addPasskey,
  beginAssertion,
  beginRegistration,
  type PasskeyDeps,
  recordUse,
  removePasskey,
  renamePasskey,
  verifyPasskey,
} from '../../passkeys/operations.ts';
import { existingPerson } from '../../person.ts';
import { type CheckSecondFactorDeps, checkConfirmed } from '../../second-factor.ts';
import { type ConfirmDeps, confirmPassword, refusedCode } from '../dashboard.ts';
import * as specs from './dashboard-schema.ts';

interface PasskeyOperationsDeps extends PasskeyDeps, ConfirmDeps, CheckSecondFactorDeps {
  readonly sessions: Sessions;
}

/** A name that the person gives to a passkey. @throws InvalidInput */
function parseName(submitted: string): string {
  const name = submitted.trim();
  const error = nameError(name, 'a name', 50);
  if (error !== undefined) throw new InvalidInput({ name: error }, 'invalid_name');
  return name;
}

/** The check of a passkey that confirms a change of the account, for `confirmPassword`. */
export function confirmationCheck(deps: PasskeyDeps): ConfirmDeps['checkConfirmation'] {
  return async ({ personId, actor, res }, passkey) => {
    const use = { purpose: 'confirm', sessionId: res.locals.session.id } as const;
    const used = await verifyPasskey(deps, passkey, use);
    return used?.personId === personId && recordUse(deps, used, actor);
  };
}

function sessionOf({ res }: Pick<PersonCall<never, unknown, unknown>, 'res'>): string {
  return res.locals.session.id;
}

/** Adds a passkey. The first second factor of an account ends its other sessions. */
function addOperation(deps: PasskeyOperationsDeps): Operation {
  return personOperation(specs.addPasskey, async ({ personId, body, actor, req, res }) => {
    await checkAttempts(deps.throttle, [[rules.passkeyAccount, personId]]);
    const name = parseName(body.name);
    const person = existingPerson(await deps.people.find(personId));
    const { credential } = body;
    const sessionId = sessionOf({ res });
    const outcome = await addPasskey(deps, { person, sessionId, name, credential, actor });
    if (outcome.kind === 'logged_out') throw new HttpError(401, 'Log in first.');
    if (outcome.kind === 'refused') {
      const text =
        'The passkey could not be added: the browser took too long, or sent another response. Try again.';
      throw new InvalidInput({ credential: text }, 'passkey_refused');
    }
    if (outcome.kind === 'known') {
      throw new AppError('conflict', 'passkey_known', 'this passkey was added before');
    }
    if (outcome.isFirstFactor) await renewSession(deps.sessions, req, res, 'factor_shown');
    return { id: outcome.id, recoveryCodes: [...outcome.recoveryCodes] };
  });
}

/** Removes a passkey. The current session continues, even if it began with that passkey. */
function removeOperation(deps: PasskeyOperationsDeps): Operation {
  return personOperation(specs.removePasskey, async (call) => {
    const { personId, param, actor, req, res } = call;
    const passkeyId = param('passkeyId');
    const own = await deps.passkeys.list(personId);
    if (!own.some(({ id }) => id === passkeyId)) throw noSuchPasskey();
    const { person, code } = await confirmPassword(deps, call);
    const outcome = await deps.passkeys.inTransaction(async (transaction) => {
      const refusal = await checkConfirmed(deps, transaction.person, { person, code, actor });
      if (refusal !== undefined) return refusal;
      return (await removePasskey(transaction, { personId, passkeyId, actor })) ? 'removed' : 'none';
    });
    if (outcome === 'wrong_password') throw incorrectPassword();
    if (outcome === 'wrong_code') throw refusedCode();
    if (outcome === 'none') throw noSuchPasskey();
    await renewSession(deps.sessions, req, res, 'factor_shown');
  });
}

function noSuchPasskey(): HttpError {
  return new HttpError(404, 'This passkey has already been removed.');
}

/** Operations on the passkeys of the person. */
export function passkeyOperations(deps: PasskeyOperationsDeps): Operation[] {
  const { passkeys, throttle } = deps;
  return [
    personOperation(specs.listPasskeys, async ({ personId }) => ({
      origin: deps.relyingParty?.origin ?? null,
      passkeys: await passkeys.list(personId),
    })),
    personOperation(specs.beginPasskey, async (call) => {
      const { actor } = call;
      await checkAttempts(throttle, [[rules.passkeyAccount, call.personId]]);
      const { person, code } = await confirmPassword(deps, call);
      const refusal = await passkeys.inTransaction((transaction) =>
        checkConfirmed(deps, transaction.person, { person, code, actor }),
      );
      if (refusal === 'wrong_password') throw incorrectPassword();
      if (refusal === 'wrong_code') throw refusedCode();
      return { options: { ...(await beginRegistration(deps, { person, sessionId: sessionOf(call) })) } };
    }),
    // Before the paths with an identifier, which it would be taken for.
    personOperation(specs.beginConfirmation, async (call) => {
      await checkAttempts(throttle, [[rules.passkeyAccount, call.personId]]);
      const use = { purpose: 'confirm', sessionId: sessionOf(call) } as const;
      return { options: { ...(await beginAssertion(deps, call.personId, use)) } };
    }),
    addOperation(deps),
    personOperation(specs.renamePasskey, async ({ personId, param, body, actor }) => {
      const name = parseName(body.name);
      const isRenamed = await renamePasskey(deps, { personId, passkeyId: param('passkeyId'), name, actor });
      if (!isRenamed) throw noSuchPasskey();
    }),
    removeOperation(deps),
  ];
}
