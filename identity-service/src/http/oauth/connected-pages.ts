import { toAppError } from '@platform/service-kit/app-error.ts';
import { HttpError } from '@platform/service-kit/http-error.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { FindBusiness } from '../../applications/business-profile.ts';
import { type DisconnectGrantDeps, disconnectGrant } from '../../grants/disconnect-grant.ts';
import type { AuthorizationStore } from '../../oauth/authorization/authorization-store.ts';
import { type Answer, handle } from '../answer.ts';
import { fieldsOf } from '../read-form.ts';
import { queryParameter } from '../read-query.ts';
import { personOf, requirePerson } from '../require-person.ts';
import { exactRouter } from '../router.ts';
import { connectedPage } from './connected-page.ts';

export interface ConnectedPagesDeps extends DisconnectGrantDeps {
  readonly store: Pick<AuthorizationStore, 'ownedBusinesses'>;
  readonly findBusiness: FindBusiness;
}

const path = '/account/applications';

/** The pages on which owners see and disconnect applications. */
export function connectedPages(deps: ConnectedPagesDeps): Router {
  const router = exactRouter();
  router
    .route(path)
    .all(requirePerson)
    .get(handle((req, res) => showConnected(deps, req, res)))
    .post(handle((_req, res) => disconnect(deps, res)));
  return router;
}

const notices: Readonly<Record<string, string>> = {
  ended: 'Disconnected. The application has no access any more.',
  pending: 'Disconnected. The last server will know within 30 seconds.',
};

async function showConnected(
  { store, grants, findBusiness }: ConnectedPagesDeps,
  req: Request,
  res: Response,
): Promise<Answer> {
  const { requestId } = res.locals.caller;
  const owned = await store.ownedBusinesses(personOf(res));
  const businesses = await Promise.all(
    owned.map(async (id) => {
      const [business, connected] = await Promise.all([findBusiness(id, requestId), grants.list(id)]);
      return business && { business, grants: connected };
    }),
  );
  const notice = notices[queryParameter(req, 'done') ?? ''];
  const known = businesses.filter((business) => business !== undefined);
  return { page: connectedPage(known, res.locals.session, notice) };
}

const disconnectForm = z.strictObject({ business: z.string(), grant: z.string() });

async function disconnect(deps: ConnectedPagesDeps, res: Response): Promise<Answer> {
  const { business, grant } = fieldsOf(disconnectForm, res.locals.form);
  const personId = personOf(res);
  const owned = await deps.store.ownedBusinesses(personId);
  const businessId = owned.find((candidate) => String(candidate) === business);
  if (businessId === undefined || grant.includes('\0')) throw notYours();
  const { clientIp, requestId } = res.locals.caller;
  const actor = { kind: 'person', id: personId, clientIp, requestId } as const;
  const propagation = await disconnectGrant(deps, { actor, businessId, grantId: grant }).catch((error) => {
    throw toAppError(error).kind === 'not_found' ? notYours() : error;
  });
  return { redirect: `${path}?done=${propagation === 'confirmed' ? 'ended' : 'pending'}` };
}

function notYours(): HttpError {
  return new HttpError(404, 'There is no such connected application.');
}
