import type { Request, Response, Router } from 'express';
import { encode } from 'uqr';
import { z } from 'zod';
import type { FieldErrors } from '../../platform/text.ts';
import { rules, type Throttle } from '../../platform/throttle.ts';
import { exactRouter } from '../../web/app.ts';
import { csrfField, errorSummary, fieldHtml, type Html, html } from '../../web/html.ts';
import { fieldsOf, incorrectPasswordText } from '../../web/input.ts';
import { handle, type Page, type PageResponse, throttled } from '../../web/pages.ts';
import {
  type BrowserSession,
  personActor,
  personOf,
  requirePerson,
  type Sessions,
} from '../../web/sessions/browser-session.ts';
import { existingPerson, hasSecondFactor, type Person } from '../person.ts';
import {
  type ConfirmedPerson,
  confirmSecondFactor,
  disableSecondFactor,
  incorrectCodeText,
  missingCodeText,
  offerSecondFactor,
  type Refusal,
  refusedCodeText,
  renewRecoveryCodes,
  type SecondFactorDeps,
  withPassword,
} from '../second-factor.ts';
import type { PersonStore } from '../store.ts';
import { renewSession } from './sessions.ts';

/** Quiet zone around the code, in modules (ISO/IEC 18004). */
const border = 4;

/** A QR code as the path of an SVG of `size` by `size`. */
export function qrPath(text: string): { readonly size: number; readonly path: string } {
  const { data, size } = encode(text, { ecc: 'M', border });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: squares.join('') };
}

/** A QR code as inline SVG: needs no script and no style. */
function qrCode(text: string, label: string): Html {
  const { size, path } = qrPath(text);
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path
  fill="#000000" d="${path}"></path></svg>`;
}

interface View {
  readonly session: BrowserSession;
  readonly errors?: FieldErrors;
}

interface PersonView extends View {
  readonly person: Person;
}

const title = 'Second factor';

const back = html`<p class="below"><a href="/dashboard/profile">Back to your account</a></p>`;

/** Page while the second factor is off. */
function offPage(view: PersonView): Page {
  return {
    title,
    body: html`${errorSummary(view.errors ?? {})}
<p>With a second factor, logging in takes your password and a code from an app on your phone.</p>
${confirmForm(view, '/account/second-factor/begin', html`<button>Turn on</button>`)}
${back}`,
  };
}

/** The secret, for the app. */
interface Secret {
  readonly uri: string;
  /** Base32. */
  readonly secret: string;
}

function secretHtml({ uri, secret }: Secret): Html {
  const grouped = secret.match(/.{1,4}/g)?.join(' ') ?? secret;
  return html`<p>Scan this with your authenticator app.</p>
${qrCode(uri, 'QR code for the authenticator app')}
<p>Or enter this key: <span class="code">${grouped}</span></p>`;
}

const afterScanning = html`<p>Enter the code that your app shows now. If the app does not have the key, <a href="/account/second-factor">start again</a>.</p>`;

/** Page with a form for the first code of the app. @param secret given once: an open session alone must not show it */
function offeredPage({ session, secret, errors = {} }: View & { readonly secret?: Secret }): Page {
  return {
    title,
    body: html`${errorSummary(errors)}
${secret ? secretHtml(secret) : afterScanning}
<form method="post" action="/account/second-factor/confirm" novalidate>
  ${csrfField(session)}
  ${fieldHtml({
    name: 'code',
    label: 'Code from the app',
    autocomplete: 'one-time-code',
    inputmode: 'numeric',
    error: errors.code,
  })}
  <div class="actions"><button>Confirm</button> <a href="/dashboard/profile">Not now</a></div>
</form>`,
  };
}

interface OnView extends PersonView {
  /** Whether the person would lack a second factor that one of their businesses requires if the app were turned off. */
  readonly isNeeded: boolean;
}

/** Page while the second factor is on. */
function onPage({ isNeeded, ...view }: OnView): Page {
  const { person, errors = {} } = view;
  const buttons = html`<button name="do" value="codes">New recovery codes</button>
    <button class="danger" name="do" value="off">Turn off</button>`;
  return {
    title,
    body: html`${errorSummary(errors)}
<p><span class="tag good">On</span></p>
<p>${person.recoveryCodes} of your recovery codes are left. New recovery codes replace them.</p>
${isNeeded && html`<p class="notice wait">A business of yours requires a second factor. Once this one is off, you have no access to it until you have one again.</p>`}
${confirmForm(view, '/account/second-factor/change', buttons)}
${back}`,
  };
}

/** Page with new recovery codes: the only time they are shown. */
function recoveryCodesPage(codes: readonly string[]): Page {
  return {
    title: 'Recovery codes',
    body: html`<p class="notice wait">Save these codes now. They are not shown again.</p>
<p>If you lose your phone, each of them replaces one code of the app.</p>
<ul class="codes code">${codes.map((code) => html`<li>${code}</li>`)}</ul>
<div class="actions"><a class="button" href="/account/second-factor">I have saved them</a></div>`,
  };
}

/** A form that asks for the password, and for a code where the person has a second factor. */
function confirmForm({ session, person, errors = {} }: PersonView, action: string, buttons: Html): Html {
  const own = person.secondFactor === 'on' ? 'Six digits from your authenticator app, or one' : 'One';
  const other = person.passkeys > 0 ? ' The profile in the dashboard takes your passkey instead.' : '';
  const hint = `${own} of your recovery codes.${other}`;
  const code = { name: 'code', label: 'Code', autocomplete: 'one-time-code', hint, error: errors.code };
  return html`<form method="post" action="${action}" novalidate>
  ${csrfField(session)}
  ${fieldHtml({
    name: 'password',
    label: 'Your password',
    type: 'password',
    autocomplete: 'current-password',
    error: errors.password,
  })}
  ${hasSecondFactor(person) && fieldHtml(code)}
  <div class="actions">${buttons}</div>
</form>`;
}

interface SecondFactorRoutesDeps extends SecondFactorDeps {
  readonly sessions: Sessions;
  readonly throttle: Throttle;
}

const path = '/account/second-factor';

const refusals: Readonly<Record<Refusal, FieldErrors>> = {
  wrong_password: { password: incorrectPasswordText },
  wrong_code: { code: refusedCodeText },
};

const confirmation = { password: z.string(), code: z.string().default('') };

const beginFields = z.strictObject(confirmation);

const codeFields = z.strictObject({ code: z.string() });

const changeFields = z.strictObject({ ...confirmation, do: z.enum(['codes', 'off']) });

/** Pages of the person's second factor and its recovery codes. */
export function secondFactorRoutes(deps: SecondFactorRoutesDeps): Router {
  const router = exactRouter();
  router.get(
    path,
    requirePerson,
    handle((_req, res) => show(deps, res)),
  );
  router.post(
    `${path}/begin`,
    requirePerson,
    handle((_req, res) => begin(deps, res)),
  );
  router.post(
    `${path}/confirm`,
    requirePerson,
    handle((req, res) => confirm(deps, req, res)),
  );
  router.post(
    `${path}/change`,
    requirePerson,
    handle((req, res) => change(deps, req, res)),
  );
  return router;
}

/** The person, if the password is right and a required code was entered; otherwise the response with errors. */
async function confirmPerson(
  deps: SecondFactorRoutesDeps,
  res: Response,
  { password, code }: { readonly password: string; readonly code: string },
): Promise<ConfirmedPerson | PageResponse> {
  const refusal = await throttledPerson(deps, res, rules.passwordAccount);
  if (refusal !== undefined) return refusal;
  const person = await withPassword(deps, personOf(res), password);
  if (person === undefined) return show(deps, res, refusals.wrong_password);
  if (!hasSecondFactor(person)) return { person, code: undefined };
  if (code.trim() === '') return show(deps, res, { code: missingCodeText(person) });
  return (await throttledPerson(deps, res, rules.secondFactorAccount)) ?? { person, code };
}

async function begin(deps: SecondFactorRoutesDeps, res: Response): Promise<PageResponse> {
  const confirmed = await confirmPerson(deps, res, fieldsOf(beginFields, res.locals.form));
  if (!('person' in confirmed)) return confirmed;
  const { session } = res.locals;
  const actor = personActor(res, confirmed.person.id);
  const offered = await offerSecondFactor(deps, { ...confirmed, actor, sessionId: session.id });
  switch (offered.kind) {
    case 'wrong_password':
    case 'wrong_code':
      return show(deps, res, refusals[offered.kind]);
    case 'already_on':
      return { redirect: path };
    case 'offered':
      return { page: offeredPage({ session, secret: offered }) };
  }
}

async function confirm(deps: SecondFactorRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const { code } = fieldsOf(codeFields, res.locals.form);
  const refusal = await throttledPerson(deps, res, rules.factorConfirmationAccount);
  if (refusal !== undefined) return refusal;
  const personId = personOf(res);
  const { session } = res.locals;
  const actor = personActor(res, personId);
  const outcome = await confirmSecondFactor(deps, { personId, sessionId: session.id, code, actor });
  switch (outcome.kind) {
    case 'wrong_code':
      return { status: 400, page: offeredPage({ session, errors: { code: incorrectCodeText } }) };
    case 'nothing_offered':
      return { redirect: path };
    case 'on':
      await renewSession(deps.sessions, req, res, 'factor_shown');
      return { page: recoveryCodesPage(outcome.recoveryCodes) };
  }
}

async function change(deps: SecondFactorRoutesDeps, req: Request, res: Response): Promise<PageResponse> {
  const fields = fieldsOf(changeFields, res.locals.form);
  const confirmed = await confirmPerson(deps, res, fields);
  if (!('person' in confirmed)) return confirmed;
  const input = { ...confirmed, actor: personActor(res, confirmed.person.id) };
  if (fields.do === 'codes') {
    const outcome = await renewRecoveryCodes(deps, input);
    if (outcome.kind === 'renewed') return { page: recoveryCodesPage(outcome.recoveryCodes) };
    return outcome.kind === 'off' ? { redirect: path } : show(deps, res, refusals[outcome.kind]);
  }
  const outcome = await disableSecondFactor(deps, input);
  if (outcome === 'off') return { redirect: path };
  if (outcome !== 'disabled') return show(deps, res, refusals[outcome]);
  await renewSession(deps.sessions, req, res, 'same_factors');
  return { redirect: path };
}

/** The page for the state of the second factor; 400 with errors of a submitted form. */
async function show(
  deps: SecondFactorRoutesDeps,
  res: Response,
  errors?: FieldErrors,
): Promise<PageResponse> {
  const { people } = deps;
  const person = existingPerson(await people.find(personOf(res)));
  const view = { session: res.locals.session, person, errors: errors ?? {} };
  const page =
    person.secondFactor === 'on'
      ? onPage({ ...view, isNeeded: await isNeeded(people, person) })
      : offPage(view);
  return { status: errors === undefined ? 200 : 400, page };
}

async function isNeeded(people: PersonStore, { id, passkeys }: Person): Promise<boolean> {
  if (passkeys > 0) return false;
  return (await people.memberships(id)).some(({ requiresSecondFactor }) => requiresSecondFactor);
}

function throttledPerson(
  { throttle }: SecondFactorRoutesDeps,
  res: Response,
  rule: (typeof rules)[keyof typeof rules],
): Promise<PageResponse | undefined> {
  return throttled(throttle, [[rule, personOf(res)]]);
}
