import { AppError } from '@platform/service-kit/app-error.ts';
import { type ChangePasswordDeps, changePassword } from '../../../people/change-password.ts';
import type { SecondFactorDeps } from '../../../people/second-factor.ts';
import { rules } from '../../../throttle/rules.ts';
import type { Throttle } from '../../../throttle/throttle.ts';
import { beginSession } from '../../people/begin-session.ts';
import type { EndSessionDeps } from '../../people/end-session.ts';
import { checkAttempts } from '../check-attempts.ts';
import { InvalidInput } from '../invalid-input.ts';
import { type Operation, personOperation } from '../operation.ts';
import * as specs from './profile-specs.ts';
import { secondFactorOperations } from './second-factor-operations.ts';
import { sessionsOperations } from './sessions-operations.ts';

export interface ProfileOperationsDeps extends ChangePasswordDeps, SecondFactorDeps, EndSessionDeps {
  readonly throttle: Throttle;
}

/** The person's own account: password, second factor, sessions. */
export function profileOperations(deps: ProfileOperationsDeps): Operation[] {
  return [
    personOperation(specs.getProfile, async ({ personId }) => {
      const person = await deps.people.find(personId);
      if (person === undefined) throw new AppError('internal', 'person_gone', 'unexpected error');
      const { secondFactor, recoveryCodes } = person;
      return { ...person, secondFactor: secondFactor === 'on', recoveryCodesLeft: recoveryCodes };
    }),
    personOperation(specs.changePassword, async ({ personId, body, actor, req, res }) => {
      await checkAttempts(deps.throttle, [[rules.passwordAccount, personId]]);
      const outcome = await changePassword(deps, { personId, ...body, actor });
      switch (outcome.kind) {
        case 'wrong_password':
          throw new InvalidInput({ current: 'This is not your password.' }, outcome.kind);
        case 'refused':
          throw new InvalidInput({ next: outcome.fault });
        case 'changed':
          await beginSession(deps.sessions, req, res, { personId, passwordSetAt: outcome.passwordSetAt });
      }
    }),
    ...secondFactorOperations(deps),
    ...sessionsOperations(deps),
  ];
}
