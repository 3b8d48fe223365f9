import type { Caller } from './caller.ts';
import type { Form } from './read-form.ts';
import type { BrowserSession } from './session.ts';

// What the steps before a handler learn about its request.
declare global {
  namespace Express {
    interface Locals {
      /** Set for every request. */
      caller: Caller;
      /** Set where `createSessions(...).middleware` runs: on every page, not on machine endpoints. */
      session: BrowserSession;
      /** Set for every POST to a page. */
      form: Form;
    }
  }
}
