import { HttpError } from '@platform/service-kit/http/errors.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Request, Response, Router } from 'express';
import { type Background, whenAvailable } from '../../platform/background.ts';
import { checkRequiredFactor, type Membership, type MembershipReader } from '../../platform/membership.ts';
import {
  type RevocationTime,
  type RevocationTimeStore,
  timeRevocation,
} from '../../platform/revocation-times.ts';
import { hasRightsOf, roleMissingError } from '../../platform/role.ts';
import { exactRouter } from '../app.ts';
import { isCsrfToken, personActor } from '../sessions/browser-session.ts';
import { checkSameOrigin } from '../sessions/same-origin.ts';
import { handleApiErrors } from './errors.ts';
import type { EventStreams } from './event-streams.ts';
import { type Audience, describeOperations } from './openapi.ts';
import type { Operation, RawCall } from './operation.ts';
import { eventStream, neededRole, type PageEvents, type Spec } from './spec.ts';

/** Right to an operation, and who acts. */
type Admission = Pick<RawCall, 'membership' | 'actor'>;

interface GateInput {
  readonly personId: string;
  /** An identifier from the path. @throws HttpError 404 */
  readonly param: (name: string) => string;
  readonly res: Response;
}

/** Checks the right of a logged-in person to an operation. @throws HttpError, AppError */
export type Gate = (spec: Spec, input: GateInput) => Promise<Admission>;

/** Admits members of a business to its operations by their role, and with the second factor if the business requires one. */
export function memberGate(people: MembershipReader): Gate {
  return async (spec, { personId, param, res }) => {
    const actor = personActor(res, personId);
    const needed = neededRole(spec);
    if (needed === undefined) return { membership: undefined, actor };
    const membership = requireMembership(await people.memberships(personId), param('businessId'));
    checkRequiredFactor(membership);
    if (!hasRightsOf(membership.role, needed)) throw roleMissingError(needed);
    return { membership, actor };
  };
}

interface AdmitDeps {
  readonly gate: Gate;
  /** Origin of the platform's pages. */
  readonly publicUrl: string;
  readonly people: MembershipReader;
  readonly streams: EventStreams;
  /** Whether a session lives, and is of this person; does not count as a use of it. */
  readonly isLive: (sessionId: string, personId: string) => Promise<boolean>;
}

const identifier = /^[\w-]{1,64}$/;

/** Checks login, origin, CSRF token and the right to the operation. @throws HttpError, AppError */
async function admit(
  { gate, publicUrl }: AdmitDeps,
  spec: Spec,
  req: Request,
  res: Response,
): Promise<RawCall> {
  const personId = requireLogin(res);
  checkSameOrigin(req, publicUrl);
  if (spec.method !== 'GET') requireCsrfToken(req, res);
  const param = (name: string) => identifierOf(req.params[name]);
  const admission = await gate(spec, { personId, param, res });
  const { requestId, clientIp } = res.locals;
  return { personId, param, ...admission, requestId, clientIp, req, res };
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

/** 404 also for a business of other people: it does not reveal that the business exists. */
function requireMembership(memberships: readonly Membership[], businessId: string): Membership {
  const membership = memberships.find((candidate) => String(candidate.businessId) === businessId);
  if (membership === undefined) throw new HttpError(404, 'There is nothing here.');
  return membership;
}

/** 404 for a text that cannot be an identifier. */
function identifierOf(segment: string | string[] | undefined): string {
  if (typeof segment === 'string' && identifier.test(segment)) return segment;
  throw new HttpError(404, 'There is nothing here.');
}

interface CallDeps extends AdmitDeps {
  readonly revocationTimes: Pick<RevocationTimeStore, 'add'>;
  readonly background: Background;
}

interface DashboardApiDeps extends CallDeps {
  readonly audience: Audience;
  readonly operations: readonly Operation[];
  readonly logger: Logger;
}

/** The router of an API for pages. Requires `res.locals.session`. */
export function dashboardApi(deps: DashboardApiDeps): Router {
  const router = exactRouter();
  let document: ReturnType<typeof describeOperations> | undefined;
  router.get('/openapi.json', (_req, res) => {
    // Created at the first request, because it would take a tenth of the CPU time of a start.
    document ??= describeOperations(
      deps.operations.map(({ spec }) => spec),
      deps.publicUrl,
      deps.audience,
    );
    res.json(document);
  });
  for (const [path, operations] of byPath(deps.operations)) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    route.all(async (req, res) => {
      const operation = operations.find(({ spec }) => allowsMethod(spec.method, req.method));
      if (operation !== undefined) return call(deps, operation, req, res);
      res.set('Allow', operations.map(({ spec }) => spec.method).join(', '));
      throw new HttpError(405, 'This cannot be done here.');
    });
  }
  router.use(() => {
    throw new HttpError(404, 'There is nothing here.');
  });
  router.use(handleApiErrors(deps.logger));
  return router;
}

/** Admits, runs, responds. */
async function call(deps: CallDeps, { spec, run }: Operation, req: Request, res: Response): Promise<void> {
  const startedAt = performance.now();
  const { csrfToken } = res.locals.session;
  const admitted = await admit(deps, spec, req, res);
  const { membership } = admitted;
  const body = await timeRevocation(
    startedAt,
    () => run(admitted),
    (time) => {
      if (membership !== undefined) keepTime(deps, membership.businessId, time);
    },
  );
  if (spec.mediaType === 'text/event-stream') return sendEvents(deps, admitted, eventStream.parse(body));
  const renewed = res.locals.session.csrfToken;
  if (renewed !== csrfToken) res.set('X-CSRF-Token', renewed);
  res.status(spec.status ?? 200);
  if (body === undefined) res.end();
  else if (spec.mediaType !== undefined) res.type(spec.mediaType).send(body);
  else res.json(body);
}

/** Keeps the time after the response, which does not wait for it. */
function keepTime({ background, revocationTimes }: CallDeps, businessId: number, time: RevocationTime): void {
  background.run('revocation time', () => whenAvailable(() => revocationTimes.add(businessId, time)));
}

/** Sends events while the session lives and still has the rights with which the stream was opened. */
function sendEvents(
  { people, streams, isLive }: AdmitDeps,
  { personId, membership, req, res }: RawCall,
  events: PageEvents,
): Promise<void> {
  if (req.method === 'HEAD') {
    res.type('text/event-stream').end();
    return Promise.resolve();
  }
  const { id } = res.locals.session;
  const mayContinue = async () => {
    if (!(await isLive(id, personId))) return false;
    if (membership === undefined) return true;
    const { businessId, role } = membership;
    return (await people.memberships(personId)).some(
      (now) => now.businessId === businessId && now.role === role && !now.lacksSecondFactor,
    );
  };
  return streams.send(res, { personId, events, mayContinue });
}

function allowsMethod(method: string, requested: string): boolean {
  return method === requested || (method === 'GET' && requested === 'HEAD');
}

function byPath(operations: readonly Operation[]): Map<string, Operation[]> {
  return Map.groupBy(operations, ({ spec }) => spec.path);
}
