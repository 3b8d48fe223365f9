import { confirmPassword, incorrectPassword, parseEmail, refusedCode } from '../people/dashboard.ts';
import type { PasswordHasher } from '../people/password.ts';
import type { PersonStore } from '../people/store.ts';
import { rules, type Throttle } from '../platform/throttle.ts';
import { checkAttempts, InvalidInput } from '../web/dashboard-api/input.ts';
import { type Operation, personOperation } from '../web/dashboard-api/operation.ts';
import * as specs from './dashboard-schema.ts';
import { type RequestEmailChangeDeps, requestEmailChange, withdrawEmailChange } from './email-change.ts';

interface EmailChangeOperationsDeps extends RequestEmailChangeDeps {
  readonly people: PersonStore;
  readonly passwords: PasswordHasher;
  readonly throttle: Throttle;
}

/** Operations on the email address of the person. */
export function emailChangeOperations(deps: EmailChangeOperationsDeps): Operation[] {
  const { emailChanges, throttle } = deps;
  return [
    personOperation(specs.getEmailChange, async ({ personId }) => ({
      pending: (await emailChanges.pending(personId)) ?? null,
    })),
    personOperation(specs.requestEmailChange, async ({ personId, body, actor }) => {
      const email = parseEmail(body.email);
      const person = await confirmPassword(deps, personId, body);
      if (person.email === email) {
        throw new InvalidInput({ email: 'This is already your email address.' }, 'same_email');
      }
      await checkAttempts(throttle, [
        [rules.emailChangePerson, personId],
        [rules.emailChangeAccount, email],
      ]);
      const outcome = await requestEmailChange(deps, { person, code: body.code ?? '', email, actor });
      if (outcome === 'wrong_password') throw incorrectPassword();
      if (outcome === 'wrong_code') throw refusedCode();
    }),
    personOperation(specs.withdrawEmailChange, ({ personId, actor }) =>
      withdrawEmailChange(deps, { personId, actor }),
    ),
  ];
}
