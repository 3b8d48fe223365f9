import { lineFault } from '../line-fault.ts';
import { type Faults, faultsOf } from './faults.ts';
import { passwordFault } from './password-rules.ts';
import { usernameFault } from './text-rules.ts';

/** What somebody who signs up tells us. */
export interface SignUpDraft {
  readonly name: string;
  readonly password: string;
  /** Undefined when the person joins a business that there is. */
  readonly business: BusinessDraft | undefined;
}

/** A business that somebody wants to have. */
export interface BusinessDraft {
  /** Display name. */
  readonly accountHolder: string;
  readonly username: string;
}

/** The draft as it is kept, and what is wrong with it. @param email that it is for */
export function checkSignUp(typed: SignUpDraft, email: string): { draft: SignUpDraft; faults: Faults } {
  const { business } = typed;
  const draft = {
    name: typed.name.trim(),
    password: typed.password,
    business: business && {
      accountHolder: business.accountHolder.trim(),
      username: business.username.trim().toLowerCase(),
    },
  };
  const faults = faultsOf({
    name: lineFault(draft.name, 'your name', 100),
    password: passwordFault(draft.password, email),
    ...(draft.business && {
      business_name: lineFault(draft.business.accountHolder, 'the name of your business', 200),
      username: usernameFault(draft.business.username),
    }),
  });
  return { draft, faults };
}
