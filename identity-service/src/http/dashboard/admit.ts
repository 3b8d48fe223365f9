import { HttpError } from '@platform/service-kit/http-error.ts';
import type { Request, Response } from 'express';
import type { Membership } from '../../people/person.ts';
import type { PersonStore } from '../../people/person-store.ts';
import { isCsrfToken } from '../csrf.ts';
import { personActor } from '../people/person-actor.ts';
import type { RawCall } from './operation.ts';
import type { Spec } from './spec.ts';

export interface AdmitDeps {
  readonly people: Pick<PersonStore, 'memberships'>;
}

const identifier = /^[\w-]{1,64}$/;

/** Lets a call in: somebody is logged in, the page is ours, the business theirs, the role enough. @throws HttpError */
export async function admit(
  { people }: AdmitDeps,
  spec: Spec,
  req: Request,
  res: Response,
): Promise<RawCall> {
  const personId = requireLogin(res);
  if (spec.method !== 'GET') requireCsrfToken(req, res);
  const param = (name: string) => identifierOf(req.params[name]);
  const membership = spec.path.startsWith('/businesses/{businessId}')
    ? requireMembership(await people.memberships(personId), param('businessId'))
    : undefined;
  if (spec.role === 'owner' && membership?.role !== 'owner') {
    throw new HttpError(403, 'Only owners of the business may do this.');
  }
  const { requestId, clientIp } = res.locals.caller;
  return { personId, param, membership, actor: personActor(res, personId), requestId, clientIp, req, res };
}

function requireLogin(res: Response): string {
  const { personId } = res.locals.session;
  if (personId === undefined) throw new HttpError(401, 'Log in first.');
  return personId;
}

function requireCsrfToken(req: Request, res: Response): void {
  const shown = req.headers['x-csrf-token'];
  if (typeof shown === 'string' && isCsrfToken(res.locals.session, shown)) return;
  throw new HttpError(403, 'This page is out of date. Reload it and try again.');
}

/** Another's business does not exist, as far as anybody can tell. */
function requireMembership(memberships: readonly Membership[], businessId: string): Membership {
  const membership = memberships.find((candidate) => String(candidate.businessId) === businessId);
  if (membership === undefined) throw new HttpError(404, 'There is nothing here.');
  return membership;
}

/** What cannot be an identifier names nothing. */
function identifierOf(segment: string | string[] | undefined): string {
  if (typeof segment === 'string' && identifier.test(segment)) return segment;
  throw new HttpError(404, 'There is nothing here.');
}
