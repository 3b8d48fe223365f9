import { HttpError } from '@platform/service-kit/http-error.ts';
import type { Approval } from '../../oauth/authorization/approve-authorization.ts';
import type { AuthorizationAnswer } from '../../oauth/authorization/redirect-target.ts';

/** What the application is told of an approval. @throws HttpError when the page that was answered is out of date */
export function approvalAnswer(approval: Approval): AuthorizationAnswer {
  switch (approval.kind) {
    case 'approved':
      return { code: approval.code };
    case 'denied':
      return { error: 'access_denied', description: approval.reason };
    case 'stale':
      throw staleConsent();
  }
}

/** Answered before, shown to somebody else, or changed: nobody is sent anywhere. */
export function staleConsent(): HttpError {
  return new HttpError(
    403,
    'This page was answered already or is out of date. Go back to the application and start again.',
  );
}
