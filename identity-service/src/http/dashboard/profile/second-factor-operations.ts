import { AppError } from '@platform/service-kit/app-error.ts';
import {
  confirmSecondFactor,
  disableSecondFactor,
  offerSecondFactor,
  renewRecoveryCodes,
  type SecondFactorDeps,
} from '../../../people/second-factor.ts';
import { rules } from '../../../throttle/rules.ts';
import type { Throttle, ThrottleRule } from '../../../throttle/throttle.ts';
import { renewSession } from '../../people/begin-session.ts';
import { qrPath } from '../../people/qr-code.ts';
import type { Sessions } from '../../session.ts';
import { checkAttempts } from '../check-attempts.ts';
import { InvalidInput } from '../invalid-input.ts';
import { type Operation, personOperation } from '../operation.ts';
import * as specs from './profile-specs.ts';

export interface SecondFactorOperationsDeps extends SecondFactorDeps {
  readonly sessions: Sessions;
  readonly throttle: Throttle;
}

/** The second factor of the person: on, off, and its recovery codes. */
export function secondFactorOperations(deps: SecondFactorOperationsDeps): Operation[] {
  const limited = (rule: ThrottleRule, personId: string) => checkAttempts(deps.throttle, [[rule, personId]]);
  return [
    personOperation(specs.offerSecondFactor, async ({ personId, body, actor }) => {
      await limited(rules.passwordAccount, personId);
      const outcome = await offerSecondFactor(deps, { personId, password: body.password, actor });
      if (outcome.kind === 'wrong_password') throw wrongPassword();
      if (outcome.kind === 'on_already') throw notNow('second_factor_on', 'the second factor is on already');
      const { secret, uri } = outcome;
      return { secret, uri, qr: qrPath(uri) };
    }),
    personOperation(specs.confirmSecondFactor, async ({ personId, body, actor, req, res }) => {
      await limited(rules.secondFactorAccount, personId);
      const outcome = await confirmSecondFactor(deps, { personId, code: body.code, actor });
      if (outcome.kind === 'wrong_code') {
        const text = 'This code is wrong. Is the clock of your phone right?';
        throw new InvalidInput({ code: text }, outcome.kind);
      }
      if (outcome.kind === 'nothing_offered') {
        throw notNow('nothing_offered', 'there is no second factor to confirm: begin again');
      }
      await renewSession(deps.sessions, req, res);
      return { recoveryCodes: [...outcome.recoveryCodes] };
    }),
    personOperation(specs.renewRecoveryCodes, async ({ personId, body, actor }) => {
      await limited(rules.passwordAccount, personId);
      const outcome = await renewRecoveryCodes(deps, { personId, password: body.password, actor });
      if (outcome.kind === 'wrong_password') throw wrongPassword();
      if (outcome.kind === 'off') throw notNow('second_factor_off', 'the second factor is off');
      return { recoveryCodes: [...outcome.recoveryCodes] };
    }),
    personOperation(specs.disableSecondFactor, async ({ personId, body, actor, req, res }) => {
      await limited(rules.passwordAccount, personId);
      const done = await disableSecondFactor(deps, { personId, password: body.password, actor });
      if (!done) throw wrongPassword();
      await renewSession(deps.sessions, req, res);
    }),
  ];
}

function wrongPassword(): InvalidInput {
  return new InvalidInput({ password: 'This is not your password.' }, 'wrong_password');
}

function notNow(reason: string, text: string): AppError {
  return new AppError('failed_precondition', reason, text);
}
