import type { Response } from 'express';
import type { ReturnAddress } from '../../oauth/authorization/authorization-request.ts';
import { type AuthorizationAnswer, redirectTarget } from '../../oauth/authorization/redirect-target.ts';

/** Sends the browser back to the application (contract 4.2). `res.redirect` would encode the state once more. */
export function returnToApplication(
  res: Response,
  address: ReturnAddress,
  answer: AuthorizationAnswer,
  issuer: string,
): void {
  res
    .status(303)
    .set('Location', redirectTarget(address, answer, issuer))
    .end();
}
