import { HttpError } from '@platform/service-kit/http/errors.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { Response } from 'express';
import type { Suspended } from '../credentials/suspensions/suspension.ts';
import { factorMissingError } from '../platform/membership.ts';
import type { OAuthReason } from '../traffic/oauth-reason.ts';
import { type AuthorizationResponse, type ReturnAddress, redirectTarget } from './authorization-request.ts';
import type { Approval } from './consent.ts';
import { type AuthorizationServer, OAuthError } from './oauth-error.ts';

/** Redirects to the application (contract 4.2). `res.redirect` would encode the state again. */
export function returnToApplication(
  res: Response,
  address: ReturnAddress,
  response: AuthorizationResponse,
  server: AuthorizationServer,
): void {
  res
    .status(303)
    .set('Location', redirectTarget(address, response, server))
    .end();
}

/** Sends an error to the redirect URI (RFC 6749 section 4.1.2.1). @throws errors that are not the client's */
export function redirectError(
  server: AuthorizationServer,
  res: Response,
  address: ReturnAddress,
  error: unknown,
): void {
  if (error instanceof OAuthError) {
    returnToApplication(res, address, { error: error.code, description: error.message }, server);
  } else if (toAppError(error).kind === 'unavailable') {
    const description = 'the service is temporarily unavailable';
    returnToApplication(res, address, { error: 'temporarily_unavailable', description }, server);
  } else {
    throw error;
  }
}

/** The authorization response to an approval. @throws HttpError when the consent page is out of date */
export function approvalResponse(approval: Approval): AuthorizationResponse {
  switch (approval.kind) {
    case 'approved':
      return { code: approval.code };
    case 'denied':
      return { error: 'access_denied', description: approval.reason };
    case 'suspended':
      throw suspendedPage(approval.what);
    case 'second_factor_missing':
      throw factorMissingError();
    case 'changed':
    case 'stale':
      throw staleConsent();
  }
}

/** Submitted before, shown to another person, or no longer allowed: no redirect. */
export function staleConsent(): HttpError {
  return new HttpError(
    403,
    'This page was already used or is out of date. Go back to the app and start again.',
  );
}

const suspendedPageTexts: Readonly<Record<Suspended, string>> = {
  application:
    'This app is suspended, so no business can connect to it at the moment. Existing connections are kept, and work again when it is resumed.',
  connection:
    'Your business has suspended its connection with this app. An owner can resume it in the dashboard, under Connected apps; the app then works as before.',
};

/** An authorization request that ends with a page for the person, not with a redirect to the application. */
export class AuthorizationRefused extends HttpError {
  /** For the owner of the application. */
  readonly reason: OAuthReason;

  constructor(status: number, publicText: string, reason: OAuthReason) {
    super(status, publicText);
    this.reason = reason;
  }
}

/** While something is suspended people see why; no redirect to an application that may not act. */
export function suspendedPage(what: Suspended): HttpError {
  return new AuthorizationRefused(403, suspendedPageTexts[what], `oauth_${what}_suspended`);
}
