import type { Request, RequestHandler } from 'express';
import type { Passport } from '../passport/passport.ts';
import { type AdmitDeps, admit, type Demand } from './admit.ts';
import { type Answer, errorAnswer, sendAnswer } from './answer.ts';

/** An operation for an admitted caller. What it throws is answered by `renderError`. */
export type Endpoint = (passport: Passport, req: Request) => Promise<Answer>;

/** Express's handler for an operation: admit, do, answer. */
export function endpoint(deps: AdmitDeps, demand: Demand, run: Endpoint): RequestHandler {
  return async (req, res) => {
    const admission = await admit(deps, demand, req);
    if (admission.kind === 'refused') return sendAnswer(res, admission.answer);
    sendAnswer(res, await run(admission.passport, req));
  };
}

/** Answer to every other method of a path. */
export function allowOnly(methods: string): RequestHandler {
  return (_req, res) => {
    sendAnswer(res, errorAnswer(405, 'Method not allowed', { Allow: methods }));
  };
}
