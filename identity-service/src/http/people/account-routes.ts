import { AppError } from '@platform/service-kit/app-error.ts';
import { HttpError } from '@platform/service-kit/http-error.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { FindBusiness } from '../../applications/business-profile.ts';
import { type VerifyBusinessDeps, verifyBusiness } from '../../people/submit-verification.ts';
import { type Answer, handle } from '../answer.ts';
import { fieldsOf } from '../read-form.ts';
import { queryParameter } from '../read-query.ts';
import { personOf, requirePerson } from '../require-person.ts';
import { exactRouter } from '../router.ts';
import { accountPage } from './account-page.ts';
import { ownBusinesses } from './own-businesses.ts';
import { personActor } from './person-actor.ts';
import { type VerificationView, verificationPage } from './verification-page.ts';

export interface AccountRoutesDeps extends VerifyBusinessDeps {
  readonly findBusiness: FindBusiness;
}

const factsShape = z.strictObject({
  business: z.string().regex(/^[1-9]\d{0,9}$/),
  legal_name: z.string(),
  registration_number: z.string(),
  country: z.string(),
});

/** The account at a glance, and the verification of the person's businesses. */
export function accountRoutes(deps: AccountRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    '/account',
    requirePerson,
    handle((_req, res) => showAccount(deps, res)),
  );
  router.get(
    '/account/verification',
    requirePerson,
    handle((req, res) => showVerification(deps, req, res)),
  );
  router.post(
    '/account/verification',
    requirePerson,
    handle((_req, res) => postVerification(deps, res)),
  );
  return router;
}

async function showAccount({ people, findBusiness }: AccountRoutesDeps, res: Response): Promise<Answer> {
  const personId = personOf(res);
  const { requestId } = res.locals.caller;
  const [person, businesses] = await Promise.all([
    people.find(personId),
    ownBusinesses(people, findBusiness, personId, requestId),
  ]);
  if (person === undefined) throw new AppError('internal', 'person_gone', 'unexpected error');
  return { page: accountPage(person, businesses) };
}

async function showVerification(deps: AccountRoutesDeps, req: Request, res: Response): Promise<Answer> {
  const wanted = queryParameter(req, 'business');
  const owned = await ownedBusinesses(deps, res);
  const businessId = wanted === undefined ? owned[0] : owned.find((id) => String(id) === wanted);
  return { page: await verificationOf(deps, res, businessId) };
}

async function postVerification(deps: AccountRoutesDeps, res: Response): Promise<Answer> {
  const fields = fieldsOf(factsShape, res.locals.form);
  const personId = personOf(res);
  const businessId = Number(fields.business);
  const typed = {
    legalName: fields.legal_name,
    registrationNumber: fields.registration_number,
    country: fields.country,
  };
  const outcome = await verifyBusiness(deps, {
    personId,
    businessId,
    typed,
    actor: personActor(res, personId),
  });
  switch (outcome.kind) {
    case 'not_owner':
      throw noSuchBusiness();
    case 'refused': {
      const { faults } = outcome;
      return { status: 400, page: await verificationOf(deps, res, businessId, { typed, faults }) };
    }
    // Handed in twice, the second time finds it being judged: the page says so.
    case 'submitted':
    case 'not_now':
      return { redirect: `/account/verification?business=${businessId}` };
  }
}

async function ownedBusinesses({ people }: AccountRoutesDeps, res: Response): Promise<number[]> {
  const memberships = await people.memberships(personOf(res));
  return memberships.filter(({ role }) => role === 'owner').map(({ businessId }) => businessId);
}

async function verificationOf(
  { findBusiness }: AccountRoutesDeps,
  res: Response,
  businessId: number | undefined,
  more: Pick<VerificationView, 'typed' | 'faults'> = {},
) {
  const { session, caller } = res.locals;
  const business = businessId === undefined ? undefined : await findBusiness(businessId, caller.requestId);
  if (business === undefined) throw noSuchBusiness();
  return verificationPage({ session, business, ...more });
}

function noSuchBusiness(): HttpError {
  return new HttpError(404, 'You own no such business.');
}
