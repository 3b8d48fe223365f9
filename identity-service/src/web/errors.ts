import { errorHandler, httpStatusOfKind, toHttpError } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { ErrorRequestHandler } from 'express';
import { factorMissing } from '../platform/membership.ts';
import { html } from './html.ts';
import { errorPage, type Page, type PageResponse, sendPage } from './pages.ts';

/** Texts for requests that Express or a body parser refuses. */
export const parserTexts = {
  400: 'The request is malformed.',
  413: 'This request is too large.',
  415: 'This encoding is not supported.',
};

/** Seconds after which a client may try again while a dependency is down. */
export const retryAfter = '2';

export const unavailableText = 'A part of the service is not available. Please try again in a moment.';

/** Error handler of the pages. */
export function handlePageErrors(logger: Logger): ErrorRequestHandler {
  return errorHandler(logger, responseTo, sendPage);
}

type ErrorResponse = Extract<PageResponse, { page: unknown }> & { readonly status: number };

function responseTo(error: unknown): ErrorResponse {
  const refused = toHttpError(error, parserTexts);
  if (refused !== undefined) return errorResponse(refused.status, refused.message);
  const { kind, reason } = toAppError(error);
  if (reason === factorMissing) return { status: 403, page: factorMissingPage };
  if (kind === 'unavailable') {
    return { ...errorResponse(503, unavailableText), headers: { 'Retry-After': retryAfter } };
  }
  // Pages handle errors of input themselves, so any other error here is a bug.
  return errorResponse(httpStatusOfKind[kind] < 500 ? 400 : 500);
}

/** Page that links to the settings of the second factor. */
const factorMissingPage: Page = {
  title: 'A second factor is required',
  body: html`<p>This business requires a second factor of its people, and you have none. Turn on the authenticator app, or add a passkey,
in your profile.</p>
<p>You have access again at once. If you came from another app, go back to it then and start again.</p>
<div class="actions"><a class="button" href="/dashboard/profile">Open your profile</a></div>`,
};

export function errorResponse(status: number, text?: string): ErrorResponse {
  return { status, page: errorPage(status, text) };
}
