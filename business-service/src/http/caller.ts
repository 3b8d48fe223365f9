import { inRequest, requestIdFrom } from '@platform/service-kit/request-context.ts';
import type { Request, RequestHandler } from 'express';
import type { Instant } from '../instant.ts';
import type { Passport } from '../passport/passport.ts';
import type { VerifyPassport } from '../passport/verify-passport.ts';

export interface IdentifyDeps {
  readonly verifyPassport: VerifyPassport;
  readonly now: () => Instant;
}

/** Whose request it is, and its id. */
interface Identity {
  readonly requestId: string;
  /** Absent where none was sent that can be believed. */
  readonly passport: Passport | undefined;
}

const identity = Symbol('identity');

/** A property, and not a WeakMap: with one entry per request, V8 collects garbage at length. */
interface IdentifiedRequest extends Request {
  [identity]?: Identity;
}

/** Verifies the passport. Only with a valid one is the request id the gateway's: anybody can send a header. */
export function identify({ verifyPassport, now }: IdentifyDeps): RequestHandler {
  return async function identifyRequest(req: IdentifiedRequest, res, next) {
    const sent = req.headersDistinct['x-passport'] ?? [];
    const [token] = sent;
    const passport = token === undefined || sent.length > 1 ? undefined : await verifyPassport(token, now());
    const requestId = requestIdFrom(passport && req.headers['x-request-id']);
    req[identity] = { requestId, passport };
    res.setHeader('X-Request-Id', requestId);
    inRequest(requestId, next);
  };
}

/** Who is calling, once the passport was verified. */
export function callerOf(req: IdentifiedRequest): Passport | undefined {
  return req[identity]?.passport;
}

/** The id under which the gateway knows the request; one of our own where the gateway did not send it. */
export function requestIdOf(req: IdentifiedRequest): string {
  return req[identity]?.requestId ?? requestIdFrom(undefined);
}
