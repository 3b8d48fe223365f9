import { lineFault } from '../line-fault.ts';
import { type Faults, faultsOf } from './faults.ts';
import { passwordFault } from './password-rules.ts';
import { usernameFault } from './text-rules.ts';

/** What somebody who signs up tells us. */
export interface SignUpDraft {
  readonly name: string;
  readonly password: string;
  /** Display name of the business. */
  readonly accountHolder: string;
  /** Of the business. */
  readonly username: string;
}

/** The draft as it is kept, and what is wrong with it. @param email that it is for */
export function checkSignUp(typed: SignUpDraft, email: string): { draft: SignUpDraft; faults: Faults } {
  const draft = {
    name: typed.name.trim(),
    password: typed.password,
    accountHolder: typed.accountHolder.trim(),
    username: typed.username.trim().toLowerCase(),
  };
  const faults = faultsOf({
    name: lineFault(draft.name, 'your name', 100),
    password: passwordFault(draft.password, email),
    business_name: lineFault(draft.accountHolder, 'the name of your business', 200),
    username: usernameFault(draft.username),
  });
  return { draft, faults };
}
