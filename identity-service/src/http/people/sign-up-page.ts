import type { Faults } from '../../people/faults.ts';
import type { BusinessDraft } from '../../people/sign-up-draft.ts';
import { roleWords } from '../../team/invitation-letter.ts';
import type { Role } from '../../team/team.ts';
import { withContinue } from '../continue-path.ts';
import { continueField, csrfField, faultSummary, fieldHtml } from '../pages/form.ts';
import { type Html, html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import type { BrowserSession } from '../session.ts';
import { invitationHint } from './invitation-hint.ts';

export interface SignUpView {
  readonly session: BrowserSession;
  /** Where it leads in the end; part of the form. */
  readonly continueTo: string;
  readonly email?: string;
  readonly faults?: Faults;
}

/** The first step: the mail address. */
export function signUpPage({ session, continueTo, email, faults = {} }: SignUpView): Page {
  const error = faults.email;
  return {
    title: 'Create an account',
    body: html`${invitationHint(continueTo, 'Use the address that the invitation was sent to. The link in our mail leads you into the team.')}
${faultSummary(faults)}
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
export function linkSentPage(continueTo: string): Page {
  return {
    title: 'Check your email',
    body: html`<p>We have sent you a link. It works once, within an hour.</p>
<p class="hint">Nothing there? Check your spam folder, or <a href="${withContinue('/signup', continueTo)}">have it sent again</a>.</p>`,
  };
}

export interface ConfirmView extends SignUpView {
  readonly token: string;
  readonly email: string;
  readonly name?: string;
  readonly accountHolder?: string;
  readonly username?: string;
  /** The business that has invited the address: then there is no need for another one. */
  readonly joins?: JoinedBusiness | undefined;
}

/** Display names: their owners chose them. */
export interface JoinedBusiness {
  readonly businessName: string;
  readonly inviterName: string;
  readonly role: Role;
}

/** The second step, behind the mailed link. */
export function confirmSignUpPage({
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
${faultSummary(faults)}
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

function businessFields({ accountHolder, username }: Partial<BusinessDraft>, faults: Faults): Html {
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
export function signUpLinkOverPage(): Page {
  return {
    title: 'This link does not work any more',
    body: html`<p>It was used already, or is older than an hour.</p>
<div class="actions"><a class="button" href="/signup">Get a new link</a> <a href="/login">Log in</a></div>`,
  };
}
