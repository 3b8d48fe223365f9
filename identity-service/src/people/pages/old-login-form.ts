import type { RequestHandler } from 'express';
import { continueField, csrfField, html } from '../../web/html.ts';
import { type Page, type PageResponse, sendPage } from '../../web/pages.ts';
import { type BrowserSession, isCsrfToken, parseReturnTo } from '../../web/sessions/browser-session.ts';
import { loginPaths } from '../passkeys/login-form.ts';
import { existingPerson, normalizeEmail } from '../person.ts';
import type { PersonStore } from '../store.ts';
import { forward } from './login.ts';

/** Paths of the forms for login and sign-up. */
const paths: ReadonlySet<string> = new Set([
  '/login',
  '/login/second-factor',
  loginPaths.log_in.finish,
  loginPaths.second_factor.finish,
  '/signup',
  '/signup/confirm',
]);

/**
 * Redirects a logged-in person who submits an old login form, such as one in a second tab, to the page that the form leads
 * to. The CSRF token of such a form belongs to the session before the login. Its other fields are ignored, so that a form of
 * another site or person can neither log a person in nor switch the account.
 */
export function leadOnFromOldForms({ people }: { readonly people: PersonStore }): RequestHandler {
  return async (req, res, next) => {
    const { session, form } = res.locals;
    const isEntrance = req.method === 'POST' && paths.has(req.path);
    if (!isEntrance || session.personId === undefined) return next();
    if (isCsrfToken(session, form.get('_csrf') ?? '')) return next();
    const { email } = existingPerson(await people.find(session.personId));
    const meant = form.get('email');
    sendPage(res, wayOn(session, email, meant, parseReturnTo(form.get('continue'))));
  };
}

/** @param meant address in the form; undefined in forms without one */
function wayOn(
  session: BrowserSession,
  email: string,
  meant: string | undefined,
  returnTo: string,
): PageResponse {
  if (meant === undefined || normalizeEmail(meant) === email) return forward(returnTo);
  return { status: 403, page: otherAccountPage(session, email, returnTo) };
}

function otherAccountPage(session: BrowserSession, email: string, returnTo: string): Page {
  return {
    title: 'You are already logged in',
    body: html`<p>This browser is logged in as <strong>${email}</strong>, so the form for another address was not used.</p>
<form method="post" action="/logout">
  ${csrfField(session)}
  ${continueField(returnTo)}
  <div class="actions"><a class="button" href="${returnTo}">Continue</a> <button class="second">Log out and use another account</button></div>
</form>`,
  };
}
