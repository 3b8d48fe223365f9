import { parseStrictJson } from '@platform/service-kit/http/strict-json.ts';
import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { Request, RequestHandler, Response, Router } from 'express';
import { z } from 'zod';
import { rules } from '../../platform/throttle.ts';
import { exactRouter } from '../../web/app.ts';
import { html } from '../../web/html.ts';
import { fieldsOf } from '../../web/input.ts';
import { handle, type PageResponse, sendPage, throttled } from '../../web/pages.ts';
import { parseReturnTo, personActor } from '../../web/sessions/browser-session.ts';
import { noteFailedLogin } from '../log-in.ts';
import { type LoginPurpose, loginPaths } from '../passkeys/login-form.ts';
import { beginAssertion, recordUse, type UsedPasskey, verifyPasskey } from '../passkeys/operations.ts';
import { type Assertion, assertion } from '../passkeys/passkey.ts';
import type { Person } from '../person.ts';
import { forward, type LoginRoutesDeps, loginResponse, secondFactorResponse, withCount } from './login.ts';
import { beginSession, newBrowserOf } from './sessions.ts';

const optionsForm = z.strictObject({});

const finishForm = z.strictObject({ credential: z.string(), continue: z.string().optional() });

/** Login with a passkey: alone, or as second factor after the password. */
export function passkeyRoutes(deps: LoginRoutesDeps): Router {
  const router = exactRouter();
  const { log_in, second_factor } = loginPaths;
  router.post(log_in.options, sendOptions(deps, 'log_in'));
  router.post(
    log_in.finish,
    handle((req, res) => postLogin(deps, req, res)),
  );
  router.post(second_factor.options, sendOptions(deps, 'second_factor'));
  router.post(
    second_factor.finish,
    handle((req, res) => postSecondFactor(deps, req, res)),
  );
  return router;
}

/** The person whose password was accepted, for the second factor. */
const awaitedPerson = (res: Response): string | undefined => res.locals.session.data?.awaiting;

/** JSON with the options of a challenge. For a login they list no passkeys, so they reveal nothing about accounts. */
function sendOptions(deps: LoginRoutesDeps, purpose: LoginPurpose): RequestHandler {
  return async (_req, res) => {
    fieldsOf(optionsForm, res.locals.form);
    const personId = awaitedPerson(res);
    const refusal = await limited(deps, res);
    if (refusal !== undefined) return sendPage(res, refusal);
    if (purpose === 'second_factor' && personId === undefined) return sendPage(res, { redirect: '/login' });
    const use = { purpose, sessionId: res.locals.session.id };
    const known = purpose === 'second_factor' ? personId : undefined;
    res.json({ options: await beginAssertion(deps, known, use) });
  };
}

const waitingAdvice = html`<p>Your password works meanwhile: <a href="/login">log in with it</a>.</p>`;

function limited({ throttle }: LoginRoutesDeps, res: Response): Promise<PageResponse | undefined> {
  return throttled(throttle, [[rules.passkeyAddress, addressBlock(res.locals.clientIp)]], waitingAdvice);
}

/** The signed challenge that the page's script has put into the form; undefined when it is none. */
function parseAssertion(text: string): Assertion | undefined {
  try {
    return assertion.safeParse(parseStrictJson(text)).data;
  } catch {
    return undefined;
  }
}

/** Records the use of a signed challenge and resolves to its person; undefined when it is refused. */
async function identify(
  deps: LoginRoutesDeps,
  req: Request,
  res: Response,
  { purpose, credential }: { purpose: LoginPurpose; credential: string },
): Promise<{ readonly person: Person; readonly passkeyId: string } | undefined> {
  const signed = parseAssertion(credential);
  const use = { purpose, sessionId: res.locals.session.id };
  const used = signed && (await verifyPasskey(deps, signed, use));
  const person = used && (await personOfUse(deps, res, purpose, used));
  if (used === undefined || person === undefined) return undefined;
  const { id: personId, passwordSetAt } = person;
  const newBrowser = newBrowserOf(deps.sessions, req, { personId, passwordSetAt });
  const isRecorded = await recordUse(deps, used, personActor(res, personId), { newBrowser });
  return isRecorded ? { person, passkeyId: used.passkeyId } : undefined;
}

/** The person of a passkey. As second factor, only if this person's password was accepted and has not changed since. */
async function personOfUse(
  { people }: LoginRoutesDeps,
  res: Response,
  purpose: LoginPurpose,
  { personId }: UsedPasskey,
): Promise<Person | undefined> {
  const person = await people.find(personId);
  if (purpose === 'log_in') return person;
  const { data } = res.locals.session;
  return data?.awaiting === personId && data.passwordSetAt === person?.passwordSetAt ? person : undefined;
}

const refusedText = 'This passkey was not accepted. Try again, or use another way.';

async function postLogin(deps: LoginRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const { credential, continue: path } = fieldsOf(finishForm, res.locals.form);
  const refusal = await limited(deps, res);
  if (refusal !== undefined) return withCount(deps, 'throttled', refusal);
  const returnTo = parseReturnTo(path);
  const identified = await identify(deps, req, res, { purpose: 'log_in', credential });
  if (identified === undefined) {
    const view = { session: res.locals.session, returnTo, errors: { form: refusedText } };
    return withCount(deps, 'refused', loginResponse(deps, view));
  }
  return finish(deps, req, res, { ...identified, returnTo });
}

async function postSecondFactor(deps: LoginRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const { credential, continue: path } = fieldsOf(finishForm, res.locals.form);
  const personId = awaitedPerson(res);
  if (personId === undefined) return { redirect: '/login' };
  const refusal = await throttled(deps.throttle, [[rules.secondFactorAccount, personId]]);
  if (refusal !== undefined) return withCount(deps, 'throttled', refusal);
  const returnTo = parseReturnTo(path);
  const identified = await identify(deps, req, res, { purpose: 'second_factor', credential });
  if (identified === undefined) {
    const person = await deps.people.find(personId);
    noteFailedLogin(deps, rules.codeNotice, { account: personId, person, clientIp: res.locals.clientIp });
    const view = { session: res.locals.session, returnTo, errors: { form: refusedText } };
    return withCount(deps, 'refused', secondFactorResponse(deps, person, view));
  }
  return finish(deps, req, res, { ...identified, returnTo });
}

async function finish(
  deps: LoginRoutesDeps,
  req: Request,
  res: Response,
  { person, passkeyId, returnTo }: { person: Person; passkeyId: string; returnTo: string },
): Promise<PageResponse> {
  const { id: personId, passwordSetAt } = person;
  await beginSession(deps.sessions, req, res, { personId, passwordSetAt, passkeyId });
  return withCount(deps, 'logged_in', forward(returnTo));
}
