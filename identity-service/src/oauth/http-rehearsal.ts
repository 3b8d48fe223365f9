import { simulatedCase } from '@platform/service-kit/http/prefer.ts';
import type { Request, Response } from 'express';
import { codeRefusal } from './authorization-code-grant.ts';
import type { Client } from './client-store.ts';
import type { OAuthError } from './oauth-error.ts';
import { refreshRefusal } from './refresh-token-grant.ts';

const simulations: ReadonlyMap<string, () => OAuthError> = new Map([
  ['expired-code', () => codeRefusal('code_expired')],
  ['used-code', () => codeRefusal('code_used')],
  ['reused-token', () => refreshRefusal('refresh_reused')],
]);

/**
 * Fails as an application of a sandbox asks with `Prefer: simulate=…`, before a code or token is read: both stay valid, and so
 * does the connection.
 * @throws OAuthError
 */
export function rehearse(req: Request, res: Response, { isSandbox }: Client): void {
  if (!isSandbox) return;
  const name = simulatedCase(req) ?? '';
  const simulate = simulations.get(name);
  if (simulate === undefined) return;
  res.set('Preference-Applied', `simulate=${name}`);
  throw simulate();
}
