import { addressBlock } from '@platform/service-kit/values/addresses.ts';
import type { Request, Response, Router } from 'express';
import { z } from 'zod';
import type { BusinessDraft, FindBusiness } from '../../clients/business.ts';
import { type Role, roleWithArticle } from '../../platform/role.ts';
import type { FieldErrors } from '../../platform/text.ts';
import { rules, type Throttle } from '../../platform/throttle.ts';
import { exactRouter } from '../../web/app.ts';
import { continueField, csrfField, errorSummary, fieldHtml, type Html, html } from '../../web/html.ts';
import { fieldsOf, queryParameter } from '../../web/input.ts';
import { handle, type Page, type PageResponse, throttled } from '../../web/pages.ts';
import {
  type BrowserSession,
  parseReturnTo,
  type Sessions,
  withReturnTo,
} from '../../web/sessions/browser-session.ts';
import { forward, invitationHint, invitationToken } from '../pages/login.ts';
import { newPasswordHint } from '../pages/password.ts';
import { beginSession } from '../pages/sessions.ts';
import { normalizeEmail, validateEmail } from '../person.ts';
import { findInvitation } from '../team/invitations.ts';
import type { HeldInvitation } from '../team/team.ts';
import {
  type BeginSignUpDeps,
  beginSignUp,
  type CompleteSignUpDeps,
  completeSignUp,
  isInvitedOperator,
} from './sign-up.ts';

interface SignUpView {
  readonly session: BrowserSession;
  /** Path after sign-up; a hidden field of the form. */
  readonly returnTo: string;
  readonly email?: string;
  readonly errors?: FieldErrors;
}

/** First step: the email address. */
function signUpPage({ session, returnTo, email, errors = {} }: SignUpView): Page {
  const error = errors.email;
  return {
    title: 'Create an account',
    body: html`${invitationHint(returnTo, 'Use the email address that the invitation was sent to. The link that we email you leads back to it.')}
${errorSummary(errors)}
<p>We email you a link to continue.</p>
<form method="post" action="/signup" novalidate>
  ${csrfField(session)}
  ${continueField(returnTo)}
  ${fieldHtml({ name: 'email', label: 'Email address', type: 'email', autocomplete: 'email', value: email, error })}
  <div class="actions"><button>Send the link</button></div>
</form>
<p class="below">Already have an account? <a href="${withReturnTo('/login', returnTo)}">Log in</a></p>`,
  };
}

/** The same for every address, so that it does not tell which ones have an account. */
function linkSentPage(returnTo: string): Page {
  return {
    title: 'Check your email',
    body: html`<p>We sent you a link. It works once and expires in an hour.</p>
<p class="hint">No email? Check your spam folder, or <a href="${withReturnTo('/signup', returnTo)}">request another link</a>.</p>`,
  };
}

interface ConfirmView extends SignUpView {
  readonly token: string;
  readonly email: string;
  readonly name?: string;
  readonly accountHolder?: string;
  readonly username?: string;
  /** The business that invited the address; the form then has no fields for a business. */
  readonly joins?: JoinedBusiness | undefined;
  /** The operators' console invited the address; the form has no fields for a business either. */
  readonly isOperator?: boolean;
}

/** Names in the notice of an invitation: chosen by their owners, so escaped. */
interface JoinedBusiness {
  readonly businessName: string;
  readonly inviterName: string;
  readonly role: Role;
}

/** Second step, after the emailed link. */
function confirmSignUpPage({
  session,
  returnTo,
  token,
  email,
  errors = {},
  joins,
  isOperator = false,
  ...submitted
}: ConfirmView): Page {
  return {
    title: 'Create an account',
    body: html`${joins && invitedBy(joins)}
${isOperator && html`<p class="notice">You are invited to the operators’ console.</p>`}
${errorSummary(errors)}
<form method="post" action="/signup/confirm" novalidate>
  ${csrfField(session)}
  ${continueField(returnTo)}
  <input type="hidden" name="token" value="${token}">
  <div class="field">
    <label for="shown-email">Email address</label>
    <input id="shown-email" type="email" value="${email}" autocomplete="username" readonly>
  </div>
  ${fieldHtml({ name: 'name', label: 'Your name', autocomplete: 'name', value: submitted.name, error: errors.name })}
  ${fieldHtml({
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: newPasswordHint,
    error: errors.password,
  })}
  ${joins === undefined && !isOperator && businessFields(submitted, errors)}
  <div class="actions"><button>${joins ? 'Create account and join' : 'Create account'}</button></div>
</form>`,
  };
}

function invitedBy({ businessName, inviterName, role }: JoinedBusiness): Html {
  const inviter = inviterName === '' ? 'A former member' : inviterName;
  return html`<p class="notice">${inviter} invited you. With this account you join <strong>${businessName}</strong> as ${roleWithArticle[role]}.</p>`;
}

function businessFields({ accountHolder, username }: Partial<BusinessDraft>, errors: FieldErrors): Html {
  return html`<h2>Your business</h2>
  ${fieldHtml({
    name: 'business_name',
    label: 'Business name',
    autocomplete: 'organization',
    value: accountHolder,
    error: errors.business_name,
  })}
  ${fieldHtml({
    name: 'username',
    label: 'Business username',
    autocomplete: 'off',
    hint: 'Lowercase letters, digits and hyphens.',
    value: username,
    error: errors.username,
  })}`;
}

/** For a link that was used, has expired or never existed. */
function invalidSignUpLinkPage(): Page {
  return {
    title: 'This link is no longer valid',
    body: html`<p>It was already used, or has expired.</p>
<div class="actions"><a class="button" href="/signup">Get a new link</a> <a href="/login">Log in</a></div>`,
  };
}

interface SignUpRoutesDeps extends BeginSignUpDeps, CompleteSignUpDeps {
  readonly sessions: Sessions;
  readonly throttle: Throttle;
  readonly findBusiness: FindBusiness;
}

const addressForm = z.strictObject({ email: z.string(), continue: z.string().optional() });

const confirmForm = z.strictObject({
  token: z.string(),
  name: z.string(),
  password: z.string(),
  // Absent when the person joins a business that invited them.
  business_name: z.string().optional(),
  username: z.string().optional(),
  continue: z.string().optional(),
});

/** Pages of sign-up: the email address first, everything else after the emailed link. */
export function signUpRoutes(deps: SignUpRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    '/signup',
    handle((req, res) => {
      const returnTo = parseReturnTo(queryParameter(req, 'continue'));
      return { page: signUpPage({ session: res.locals.session, returnTo }) };
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
  const { email: submitted, continue: target } = fieldsOf(addressForm, res.locals.form);
  const { session, clientIp } = res.locals;
  const returnTo = parseReturnTo(target);
  const email = normalizeEmail(submitted);
  const error = validateEmail(email);
  if (error !== undefined) {
    const page = signUpPage({ session, returnTo, email: submitted, errors: { email: error } });
    return { status: 400, page };
  }
  const refusal = await throttled(deps.throttle, [
    [rules.signUpAddress, addressBlock(clientIp)],
    [rules.signUpAccount, email],
  ]);
  if (refusal !== undefined) return refusal;
  beginSignUp(deps, email, (path) => withReturnTo(path, returnTo));
  return { page: linkSentPage(returnTo) };
}

async function showConfirm(deps: SignUpRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const token = queryParameter(req, 'token') ?? '';
  const refusal = await throttled(deps.throttle, [[rules.linkAddress, addressBlock(res.locals.clientIp)]]);
  if (refusal !== undefined) return refusal;
  const address = await deps.signUps.find(deps.hasher.candidates(token));
  if (address === undefined) return { status: 400, page: invalidSignUpLinkPage() };
  const returnTo = parseReturnTo(queryParameter(req, 'continue'));
  const { email } = address;
  const invitation = await findInvitation(deps, invitationToken(returnTo), email);
  const joins = await joinedBusiness(deps, invitation, res);
  const isOperator = await isInvitedOperator(deps, invitationToken(returnTo, 'console'), email);
  const { session } = res.locals;
  return { page: confirmSignUpPage({ session, returnTo, token, email, joins, isOperator }) };
}

async function postConfirm(deps: SignUpRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const fields = fieldsOf(confirmForm, res.locals.form);
  const { token, name, password, business_name: accountHolder, username, continue: target } = fields;
  const returnTo = parseReturnTo(target);
  const { session, clientIp, requestId } = res.locals;
  const refusal = await throttled(deps.throttle, [[rules.linkAddress, addressBlock(clientIp)]]);
  if (refusal !== undefined) return refusal;
  const business =
    accountHolder === undefined && username === undefined
      ? undefined
      : { accountHolder: accountHolder ?? '', username: username ?? '' };
  const outcome = await completeSignUp(deps, {
    token,
    form: { name, password, business },
    invitationToken: invitationToken(returnTo),
    operatorToken: invitationToken(returnTo, 'console'),
    clientIp,
    requestId,
  });
  switch (outcome.kind) {
    case 'invalid_link':
      return { status: 400, page: invalidSignUpLinkPage() };
    case 'refused': {
      const { email, errors, invitation, isOperator } = outcome;
      const joins = await joinedBusiness(deps, invitation, res);
      const view = { session, returnTo, token, email, name, ...business, errors, joins, isOperator };
      return { status: 400, page: confirmSignUpPage(view) };
    }
    case 'done': {
      const { personId, passwordSetAt, joined } = outcome;
      await beginSession(deps.sessions, req, res, { personId, passwordSetAt, passwordOnly: true });
      return joined === undefined ? forward(returnTo) : { redirect: `/dashboard/${joined}` };
    }
  }
}

/** Names of the business that an invitation leads to; undefined without an invitation. */
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
