import { rules } from '../../platform/throttle.ts';
import { checkAttempts, InvalidInput, incorrectPassword } from '../../web/dashboard-api/input.ts';
import { type Operation, personOperation } from '../../web/dashboard-api/operation.ts';
import { type ConfirmDeps, confirmPassword, parseEmail, refusedCode } from '../profile/dashboard.ts';
import * as specs from './dashboard-schema.ts';
import { type RequestEmailChangeDeps, requestEmailChange, withdrawEmailChange } from './email-change.ts';

type EmailChangeOperationsDeps = RequestEmailChangeDeps & ConfirmDeps;

/** Operations on the email address of the person. */
export function emailChangeOperations(deps: EmailChangeOperationsDeps): Operation[] {
  const { emailChanges, throttle } = deps;
  return [
    personOperation(specs.getEmailChange, async ({ personId }) => ({
      pending: (await emailChanges.pending(personId)) ?? null,
    })),
    personOperation(specs.requestEmailChange, async (call) => {
      const { personId, body, actor } = call;
      const email = parseEmail(body.email);
      const { person, code } = await confirmPassword(deps, call);
      if (person.email === email) {
        throw new InvalidInput({ email: 'This is already your email address.' }, 'same_email');
      }
      await checkAttempts(throttle, [
        [rules.emailChangePerson, personId],
        [rules.emailChangeAccount, email],
      ]);
      const outcome = await requestEmailChange(deps, { person, code, email, actor });
      if (outcome === 'wrong_password') throw incorrectPassword();
      if (outcome === 'wrong_code') throw refusedCode();
    }),
    personOperation(specs.withdrawEmailChange, ({ personId, actor }) =>
      withdrawEmailChange(deps, { personId, actor }),
    ),
  ];
}
