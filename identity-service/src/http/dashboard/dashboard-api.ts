import { HttpError } from '@platform/service-kit/http-error.ts';
import type { Logger } from '@platform/service-kit/logger.ts';
import type { Request, Response, Router } from 'express';
import { exactRouter } from '../router.ts';
import { type AdmitDeps, admit } from './admit.ts';
import { describeOperations } from './openapi/describe-operations.ts';
import type { Operation } from './operation.ts';
import { renderApiError } from './render-api-error.ts';

export interface DashboardApiDeps extends AdmitDeps {
  readonly operations: readonly Operation[];
  readonly publicUrl: string;
  readonly logger: Logger;
}

/** Everything under `/dashboard-api`, for the pages of the dashboard. Needs `res.locals.session`. */
export function dashboardApi(deps: DashboardApiDeps): Router {
  const router = exactRouter();
  const document = describeOperations(
    deps.operations.map(({ spec }) => spec),
    deps.publicUrl,
  );
  router.get('/openapi.json', (_req, res) => void res.json(document));
  for (const [path, operations] of byPath(deps.operations)) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    route.all(async (req, res) => {
      const operation = operations.find(({ spec }) => answers(spec.method, req.method));
      if (operation !== undefined) return call(deps, operation, req, res);
      res.set('Allow', operations.map(({ spec }) => spec.method).join(', '));
      throw new HttpError(405, 'This cannot be done here.');
    });
  }
  router.use(() => {
    throw new HttpError(404, 'There is nothing here.');
  });
  router.use(renderApiError(deps.logger));
  return router;
}

/** The whole path of a call, in this order: admit, do, answer. */
async function call(deps: AdmitDeps, { spec, run }: Operation, req: Request, res: Response): Promise<void> {
  const { csrfToken } = res.locals.session;
  const answer = await run(await admit(deps, spec, req, res));
  const renewed = res.locals.session.csrfToken;
  if (renewed !== csrfToken) res.set('X-CSRF-Token', renewed);
  res.status(spec.status ?? 200);
  if (answer === undefined) res.end();
  else if (spec.mediaType !== undefined) res.type(spec.mediaType).send(answer);
  else res.json(answer);
}

function answers(method: string, asked: string): boolean {
  return method === asked || (method === 'GET' && asked === 'HEAD');
}

function byPath(operations: readonly Operation[]): Map<string, Operation[]> {
  return Map.groupBy(operations, ({ spec }) => spec.path);
}
