import { addressBlock } from '@platform/service-kit/addresses.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import { invitationHint, invitationToken } from '../people/pages/login.ts';
import { beginSession } from '../people/pages/sessions.ts';
import { emailFault, toEmail } from '../people/person.ts';
import type { FindBusiness } from '../platform/businesses.ts';
import type { FieldErrors } from '../platform/text.ts';
import { rules, type Throttle } from '../platform/throttle.ts';
import {
  type BrowserSession,
  continuePath,
  type Sessions,
  withContinue,
} from '../sessions/browser-session.ts';
import { findInvitation, roleWords } from '../team/invitations.ts';
import type { HeldInvitation, Role } from '../team/team.ts';
import { exactRouter } from '../web/app.ts';
import { continueField, csrfField, errorSummary, fieldHtml, type Html, html } from '../web/html.ts';
import { fieldsOf, queryParameter } from '../web/input.ts';
import { handle, type Page, type PageResponse, throttled } from '../web/pages.ts';
import {
  type BeginSignUpDeps,
  type BusinessDraft,
  beginSignUp,
  type CompleteSignUpDeps,
  completeSignUp,
} from './sign-up.ts';

interface SignUpView {
  readonly session: BrowserSession;
  /** Where it leads in the end; part of the form. */
  readonly continueTo: string;
  readonly email?: string;
  readonly faults?: FieldErrors;
}

/** The first step: the mail address. */
function signUpPage({ session, continueTo, email, faults = {} }: SignUpView): Page {
  const error = faults.email;
  return {
    title: 'Create an account',
    body: html`${invitationHint(continueTo, 'Use the address that the invitation was sent to. The link in our mail leads you into the team.')}
${errorSummary(faults)}
<p>We send you a link that takes you to the next step.</p>
<form method="post" action="/signup" novalidate>
  ${csrfField(session)}
  ${continueField(continueTo)}
  ${fieldHtml({ name: 'email', label: 'Email address', type: 'email', autocomplete: 'email', value: email, error })}
  <div class="actions"><button>Send the link</button></div>
</form>
<p class="below">Already have an account? <a href="${withContinue('/login', continueTo)}">Log in</a></p>`,
  };
}

/** The same for every address. */
function linkSentPage(continueTo: string): Page {
  return {
    title: 'Check your email',
    body: html`<p>We have sent you a link. It works once, within an hour.</p>
<p class="hint">Nothing there? Check your spam folder, or <a href="${withContinue('/signup', continueTo)}">have it sent again</a>.</p>`,
  };
}

interface ConfirmView extends SignUpView {
  readonly token: string;
  readonly email: string;
  readonly name?: string;
  readonly accountHolder?: string;
  readonly username?: string;
  /** The business that has invited the address: then there is no need for another one. */
  readonly joins?: JoinedBusiness | undefined;
}

/** Display names: their owners chose them. */
interface JoinedBusiness {
  readonly businessName: string;
  readonly inviterName: string;
  readonly role: Role;
}

/** The second step, behind the mailed link. */
function confirmSignUpPage({
  session,
  continueTo,
  token,
  email,
  faults = {},
  joins,
  ...typed
}: ConfirmView): Page {
  return {
    title: 'Create an account',
    body: html`${joins && invitedBy(joins)}
${errorSummary(faults)}
<form method="post" action="/signup/confirm" novalidate>
  ${csrfField(session)}
  ${continueField(continueTo)}
  <input type="hidden" name="token" value="${token}">
  <div class="field">
    <label for="shown-email">Email address</label>
    <input id="shown-email" type="email" value="${email}" autocomplete="username" readonly>
  </div>
  ${fieldHtml({ name: 'name', label: 'Your name', autocomplete: 'name', value: typed.name, error: faults.name })}
  ${fieldHtml({
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 12 characters. A few words in a row are fine.',
    error: faults.password,
  })}
  ${joins === undefined && businessFields(typed, faults)}
  <div class="actions"><button>${joins ? 'Create account and join' : 'Create account'}</button></div>
</form>`,
  };
}

function invitedBy({ businessName, inviterName, role }: JoinedBusiness): Html {
  const inviter = inviterName === '' ? 'Somebody' : inviterName;
  return html`<p class="notice">${inviter} has invited you. With this account you join <strong>${businessName}</strong> as ${roleWords[role]}.</p>`;
}

function businessFields({ accountHolder, username }: Partial<BusinessDraft>, faults: FieldErrors): Html {
  return html`<h2>Your business</h2>
  ${fieldHtml({
    name: 'business_name',
    label: 'Business name',
    autocomplete: 'organization',
    value: accountHolder,
    error: faults.business_name,
  })}
  ${fieldHtml({
    name: 'username',
    label: 'Business username',
    autocomplete: 'off',
    hint: 'Lowercase letters, digits and hyphens.',
    value: username,
    error: faults.username,
  })}`;
}

/** For a link that does not work any more. */
function signUpLinkOverPage(): Page {
  return {
    title: 'This link does not work any more',
    body: html`<p>It was used already, or is older than an hour.</p>
<div class="actions"><a class="button" href="/signup">Get a new link</a> <a href="/login">Log in</a></div>`,
  };
}

export interface SignUpRoutesDeps extends BeginSignUpDeps, CompleteSignUpDeps {
  readonly sessions: Sessions;
  readonly throttle: Throttle;
  readonly findBusiness: FindBusiness;
}

const addressForm = z.strictObject({ email: z.string(), continue: z.string().optional() });

const confirmForm = z.strictObject({
  token: z.string(),
  name: z.string(),
  password: z.string(),
  // Not there for those who join a business that has invited them.
  business_name: z.string().optional(),
  username: z.string().optional(),
  continue: z.string().optional(),
});

/** Sign-up: the mail address, and behind the mailed link everything else. */
export function signUpRoutes(deps: SignUpRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    '/signup',
    handle((req, res) => {
      const continueTo = continuePath(queryParameter(req, 'continue'));
      return { page: signUpPage({ session: res.locals.session, continueTo }) };
    }),
  );
  router.post(
    '/signup',
    handle((_req, res) => postAddress(deps, res)),
  );
  router.get(
    '/signup/confirm',
    handle((req, res) => showConfirm(deps, req, res)),
  );
  router.post(
    '/signup/confirm',
    handle((req, res) => postConfirm(deps, req, res)),
  );
  return router;
}

async function postAddress(deps: SignUpRoutesDeps, res: Response): Promise<PageResponse> {
  const { email: typed, continue: wish } = fieldsOf(addressForm, res.locals.form);
  const { session, clientIp } = res.locals;
  const continueTo = continuePath(wish);
  const email = toEmail(typed);
  const fault = emailFault(email);
  if (fault !== undefined) {
    const page = signUpPage({ session, continueTo, email: typed, faults: { email: fault } });
    return { status: 400, page };
  }
  const refusal = await throttled(deps.throttle, [
    [rules.signUpAddress, addressBlock(clientIp)],
    [rules.signUpAccount, email],
  ]);
  if (refusal !== undefined) return refusal;
  beginSignUp(deps, email, (path) => withContinue(path, continueTo));
  return { page: linkSentPage(continueTo) };
}

async function showConfirm(deps: SignUpRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const token = queryParameter(req, 'token') ?? '';
  const refusal = await throttled(deps.throttle, [[rules.linkAddress, addressBlock(res.locals.clientIp)]]);
  if (refusal !== undefined) return refusal;
  const address = await deps.signUps.find(deps.hasher.candidates(token));
  if (address === undefined) return { status: 400, page: signUpLinkOverPage() };
  const continueTo = continuePath(queryParameter(req, 'continue'));
  const { email } = address;
  const invitation = await findInvitation(deps, invitationToken(continueTo), email);
  const joins = await joinedBusiness(deps, invitation, res);
  return { page: confirmSignUpPage({ session: res.locals.session, continueTo, token, email, joins }) };
}

async function postConfirm(deps: SignUpRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const fields = fieldsOf(confirmForm, res.locals.form);
  const { token, name, password, business_name: accountHolder, username, continue: wish } = fields;
  const continueTo = continuePath(wish);
  const { session, clientIp, requestId } = res.locals;
  const refusal = await throttled(deps.throttle, [[rules.linkAddress, addressBlock(clientIp)]]);
  if (refusal !== undefined) return refusal;
  const business =
    accountHolder === undefined && username === undefined
      ? undefined
      : { accountHolder: accountHolder ?? '', username: username ?? '' };
  const outcome = await completeSignUp(deps, {
    token,
    typed: { name, password, business },
    invitationToken: invitationToken(continueTo),
    clientIp,
    requestId,
  });
  switch (outcome.kind) {
    case 'link_over':
      return { status: 400, page: signUpLinkOverPage() };
    case 'refused': {
      const { email, faults, invitation } = outcome;
      const joins = await joinedBusiness(deps, invitation, res);
      const view = { session, continueTo, token, email, name, ...business, faults, joins };
      return { status: 400, page: confirmSignUpPage(view) };
    }
    case 'done': {
      const { personId, passwordSetAt, joined } = outcome;
      await beginSession(deps.sessions, req, res, { personId, passwordSetAt });
      return { redirect: joined === undefined ? continueTo : `/dashboard/${joined}` };
    }
  }
}

/** What the invited are told of the business. */
async function joinedBusiness(
  { findBusiness }: SignUpRoutesDeps,
  invitation: HeldInvitation | undefined,
  res: Response,
): Promise<JoinedBusiness | undefined> {
  if (invitation === undefined) return undefined;
  const { businessId, inviterName, role } = invitation;
  const business = await findBusiness(businessId, res.locals.requestId);
  return business && { businessName: business.accountHolder, inviterName, role };
}
