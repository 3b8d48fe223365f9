import type { Request } from 'express';
import type { Passport } from '../passport/passport.ts';

const callers = new WeakMap<Request, Passport>();

/** Notes who is calling, for the log line. */
export function setCaller(req: Request, passport: Passport): void {
  callers.set(req, passport);
}

/** Who is calling, once the passport was verified. */
export function callerOf(req: Request): Passport | undefined {
  return callers.get(req);
}
