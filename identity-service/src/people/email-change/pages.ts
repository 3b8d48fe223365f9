import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { rules, type Throttle } from '../../platform/throttle.ts';
import { exactRouter } from '../../web/app.ts';
import { csrfField, html } from '../../web/html.ts';
import { fieldsOf, queryParameter } from '../../web/input.ts';
import { handle, type Page, type PageResponse, throttled } from '../../web/pages.ts';
import {
  type BrowserSession,
  personActor,
  personOf,
  requirePerson,
} from '../../web/sessions/browser-session.ts';
import {
  type ConfirmEmailChangeDeps,
  confirmEmailChange,
  paths,
  type UndoEmailChangeDeps,
  undoEmailChange,
} from './email-change.ts';

interface View {
  readonly session: BrowserSession;
  readonly token: string;
  readonly email: string;
}

/** Asks before anything changes: programs that read mail open its links. */
function confirmPage({ session, token, email }: View): Page {
  return {
    title: 'Change your email address',
    body: html`<p>Your account gets the email address <strong>${email}</strong>. You log in with it from then on.</p>
<form method="post" action="${paths.confirm}" novalidate>
  ${csrfField(session)}
  <input type="hidden" name="token" value="${token}">
  <div class="actions"><button>Change email address</button> <a href="/dashboard/profile">Back to your account</a></div>
</form>`,
  };
}

function confirmedPage(): Page {
  return {
    title: 'Your email address is changed',
    body: html`<p>Log in with it from now on. We sent an email to the old address, with a link that undoes this for 72 hours.</p>
<p class="below"><a href="/dashboard/profile">Back to your account</a></p>`,
  };
}

/** For a link that was used, has expired or never existed, or whose address belongs to another person by now. */
function invalidConfirmLinkPage(): Page {
  return {
    title: 'This link is no longer valid',
    body: html`<p>It was already used or withdrawn, has expired, or belongs to another account than the one you are logged in to.
Your email address has not changed.</p>
<div class="actions"><a class="button" href="/dashboard/profile">Get a new link</a> <a href="/dashboard/profile">Go to your account</a></div>`,
  };
}

function undoPage({ session, token, email }: View): Page {
  return {
    title: 'Undo the change of your email address',
    body: html`<p>Your account gets back the email address <strong>${email}</strong>. All sessions end, and the password no longer
works: we email you a link to set a new one.</p>
<form method="post" action="${paths.undo}" novalidate>
  ${csrfField(session)}
  <input type="hidden" name="token" value="${token}">
  <div class="actions"><button>Undo the change</button></div>
</form>`,
  };
}

function undonePage(): Page {
  return {
    title: 'Your email address is back',
    body: html`<p>All sessions have ended. Set a new password with the link that we sent you; it expires in 30 minutes.</p>
<p class="hint">No email? Check your spam folder, or <a href="/password/forgot">request another link</a>.</p>`,
  };
}

function invalidUndoLinkPage(): Page {
  return {
    title: 'This link is no longer valid',
    body: html`<p>It was already used, or has expired.</p>
<div class="actions"><a class="button" href="/login">Log in</a></div>`,
  };
}

interface EmailChangeRoutesDeps extends ConfirmEmailChangeDeps, UndoEmailChangeDeps {
  readonly throttle: Throttle;
}

const tokenForm = z.strictObject({ token: z.string() });

/** Pages of the links that change an email address, and that undo it. */
export function emailChangeRoutes(deps: EmailChangeRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    paths.confirm,
    requirePerson,
    handle((req, res) => showConfirm(deps, req, res)),
  );
  router.post(
    paths.confirm,
    requirePerson,
    handle((_req, res) => postConfirm(deps, res)),
  );
  router.get(
    paths.undo,
    handle((req, res) => showUndo(deps, req, res)),
  );
  router.post(
    paths.undo,
    handle((_req, res) => postUndo(deps, res)),
  );
  return router;
}

const limited = ({ throttle }: EmailChangeRoutesDeps, res: Response) =>
  throttled(throttle, [[rules.linkAddress, addressBlock(res.locals.clientIp)]]);

async function showConfirm(deps: EmailChangeRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const token = queryParameter(req, 'token') ?? '';
  const refusal = await limited(deps, res);
  if (refusal !== undefined) return refusal;
  const change = await deps.emailChanges.find(personOf(res), deps.hasher.candidates(token));
  if (change === undefined) return { status: 400, page: invalidConfirmLinkPage() };
  return { page: confirmPage({ session: res.locals.session, token, email: change.email }) };
}

async function postConfirm(deps: EmailChangeRoutesDeps, res: Response): Promise<PageResponse> {
  const { token } = fieldsOf(tokenForm, res.locals.form);
  const refusal = await limited(deps, res);
  if (refusal !== undefined) return refusal;
  const personId = personOf(res);
  const changed = await confirmEmailChange(deps, { personId, token, actor: personActor(res, personId) });
  return changed ? { page: confirmedPage() } : { status: 400, page: invalidConfirmLinkPage() };
}

async function showUndo(deps: EmailChangeRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const token = queryParameter(req, 'token') ?? '';
  const refusal = await limited(deps, res);
  if (refusal !== undefined) return refusal;
  const email = await deps.emailChanges.findReplaced(deps.hasher.candidates(token));
  if (email === undefined) return { status: 400, page: invalidUndoLinkPage() };
  return { page: undoPage({ session: res.locals.session, token, email }) };
}

async function postUndo(deps: EmailChangeRoutesDeps, res: Response): Promise<PageResponse> {
  const { token } = fieldsOf(tokenForm, res.locals.form);
  const { clientIp, requestId } = res.locals;
  const refusal = await limited(deps, res);
  if (refusal !== undefined) return refusal;
  const undone = await undoEmailChange(deps, { token, clientIp, requestId });
  return undone ? { page: undonePage() } : { status: 400, page: invalidUndoLinkPage() };
}
