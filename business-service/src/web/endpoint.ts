import { beginRequest } from '@platform/service-kit/http/observe.ts';
import { requestIdFrom } from '@platform/service-kit/telemetry/request-context.ts';
import type { Tracer } from '@platform/service-kit/telemetry/tracer.ts';
import type { Request, RequestHandler } from 'express';
import type { Passport, VerifyPassport } from '../passport.ts';
import type { Instant } from '../values.ts';
import { type ApiResponse, errorResponse, insufficientScope, sendResponse } from './response.ts';

declare global {
  namespace Express {
    interface Locals {
      /** Set by `identifyRequests` where a valid passport was sent. */
      passport?: Passport | undefined;
    }
  }
}

export interface IdentifyDeps {
  readonly verifyPassport: VerifyPassport;
  readonly now: () => Instant;
  /** Undefined: requests are not traced. */
  readonly tracer: Tracer | undefined;
}

/**
 * Verifies the passport and begins the request. Request id and traceparent of the gateway are trusted only together with a
 * valid passport.
 */
export function identifyRequests({ verifyPassport, now, tracer }: IdentifyDeps): RequestHandler {
  return async function identifyRequest(req, res, next) {
    const sent = req.headersDistinct['x-passport'] ?? [];
    const [token] = sent;
    const passport = token === undefined || sent.length > 1 ? undefined : await verifyPassport(token, now());
    res.locals.passport = passport;
    const requestId = requestIdFrom(passport && req.headers['x-request-id']);
    beginRequest(req, res, { requestId, tracer, isFromGateway: passport !== undefined }, next);
  };
}

export interface AdmitDeps {
  readonly businesses: {
    /** Undefined: no such business. */
    profile(id: number): Promise<{ readonly isBanned: boolean } | undefined>;
  };
}

/** Scopes of this service's operations. */
type Scope = 'business:read' | 'events:read' | 'orders:read' | 'orders:write';

/** Rights that an operation requires. */
interface Requirement {
  readonly scope: Scope;
  /** Whether a banned business may still call it. */
  readonly evenBanned?: boolean;
}

const invalidPassport = errorResponse(401, 'Invalid passport', {
  'WWW-Authenticate': 'Bearer error="invalid_token"',
});

/** The refusal of a request; undefined for a valid passport with the scope, of a business that is not banned. */
async function refusalOf(
  deps: AdmitDeps,
  { scope, evenBanned = false }: Requirement,
  passport: Passport,
): Promise<ApiResponse | undefined> {
  if (!passport.scopes.has(scope)) return insufficientScope([scope]);
  return evenBanned || (await isInGoodStanding(deps, passport)) ? undefined : errorResponse(403);
}

async function isInGoodStanding({ businesses }: AdmitDeps, { businessId }: Passport): Promise<boolean> {
  const profile = await businesses.profile(businessId);
  return profile !== undefined && !profile.isBanned;
}

/** An operation for an admitted request. `handleErrors` responds to the errors that it throws. */
export type Endpoint = (passport: Passport, req: Request) => Promise<ApiResponse>;

/** Express's handler for an operation: admit, run, respond. */
export function endpoint(deps: AdmitDeps, requirement: Requirement, run: Endpoint): RequestHandler {
  return async (req, res) => {
    const { passport } = res.locals;
    if (passport === undefined) return sendResponse(res, invalidPassport);
    const refusal = await refusalOf(deps, requirement, passport);
    sendResponse(res, refusal ?? (await run(passport, req)));
  };
}

/** 405 for every other method of a path. */
export function allowOnly(methods: string): RequestHandler {
  return (_req, res) => {
    sendResponse(res, errorResponse(405, 'Method not allowed', { Allow: methods }));
  };
}

/** Names the media types of a PATCH in every response of a path (RFC 5789 section 3.1). */
export function acceptPatch(types: readonly string[]): RequestHandler {
  const value = types.join(', ');
  return (_req, res, next) => {
    res.set('Accept-Patch', value);
    next();
  };
}
