import type { Request, RequestHandler, Response } from 'express';
import { type Attempt, countAttempts, type Throttle } from '../platform/throttle.ts';
import { iconPath, stylesheetPath } from './assets.ts';
import { csrfField, type Html, html, textOf } from './html.ts';
import type { BrowserSession } from './sessions/browser-session.ts';

/** Content of a document. */
interface Document {
  /** Title of the window. */
  readonly title: string;
  /** Added to the head. */
  readonly head: Html;
  readonly body: Html;
}

/** A complete HTML document. */
function renderDocument({ title, head, body }: Document): string {
  return textOf(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · Business API</title>
    <link rel="icon" type="image/svg+xml" href="${iconPath}">
    <link rel="stylesheet" href="${stylesheetPath}">
    ${head}
  </head>
  ${body}
</html>
`);
}

/** Content of a page. */
export interface Page {
  /** Also the heading. */
  readonly title: string;
  readonly body: Html;
  /** Local path that the browser opens next (meta refresh). */
  readonly forwardTo?: string;
}

/** The complete document, with links to dashboard, account and logout for a logged-in person. */
function renderPage({ title, body, forwardTo }: Page, session?: BrowserSession): string {
  return renderDocument({
    title,
    head: html`<meta name="robots" content="noindex">
    ${forwardTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${forwardTo}">`}`,
    body: html`<body>
    <header class="top">
      <a class="brand" href="/"><img src="${iconPath}" alt="" width="26" height="26">Business API</a>
      ${session?.personId !== undefined && navigation(session)}
    </header>
    <main>
      <h1>${title}</h1>
      ${body}
    </main>
  </body>`,
  });
}

function navigation(session: BrowserSession): Html {
  return html`<nav aria-label="Account">
        <a href="/dashboard">Dashboard</a>
        <a href="/dashboard/profile">Account</a>
        <form method="post" action="/logout">${csrfField(session)}<button class="quiet">Log out</button></form>
      </nav>`;
}

/** A page, or a redirect. */
export type PageResponse =
  | {
      readonly page: Page;
      /** 200 where absent. */
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** 303 to a local path, or to a URL of the operators. */
  | { readonly redirect: string };

/** Express's handler for a page. `handlePageErrors` responds to the errors that `run` throws. */
export function handle(
  run: (req: Request, res: Response) => Promise<PageResponse> | PageResponse,
): RequestHandler {
  return async (req, res) => {
    sendPage(res, await run(req, res));
  };
}

export function sendPage(res: Response, response: PageResponse): void {
  if ('redirect' in response) {
    res.redirect(303, response.redirect);
    return;
  }
  const { page, status = 200, headers = {} } = response;
  res.status(status).set(headers).type('html').send(renderPage(page, res.locals.session));
}

const titles: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'This page is out of date',
  404: 'Page not found',
  405: 'Not possible here',
  413: 'Too much at once',
  415: 'That request cannot be read',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Not available right now',
};

const texts: Readonly<Record<number, string>> = {
  404: 'There is nothing at this address.',
  500: 'The error is on our side. Please try again; if it happens again, send us the time at which it did.',
};

/** A page with an error text and a link to the account. */
export function errorPage(
  status: number,
  text = texts[status] ?? 'The request was refused.',
  advice?: Html,
): Page {
  return {
    title: titles[status] ?? 'Not possible',
    body: html`<p>${text}</p>${advice}
<p class="below"><a href="/dashboard/profile">Go to your account</a></p>`,
  };
}

/** Counts an attempt; resolves to a 429 page when the limit is exceeded. @param advice besides waiting */
export async function throttled(
  throttle: Throttle,
  attempts: readonly Attempt[],
  advice?: Html,
): Promise<PageResponse | undefined> {
  const refusal = await countAttempts(throttle, attempts);
  if (refusal === undefined) return undefined;
  const { retryAfterSeconds: seconds } = refusal;
  return {
    status: 429,
    headers: { 'Retry-After': String(seconds) },
    page: errorPage(429, tooManyAttempts(seconds), advice),
  };
}

/** Text of a 429. */
export function tooManyAttempts(seconds: number): string {
  const wait = seconds <= 90 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return `There were too many attempts. Please wait ${wait} and try again.`;
}

/** A time in UTC, to the minute. @param unixMs milliseconds since 1970 */
export function momentHtml(unixMs: number): Html {
  const iso = new Date(unixMs).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
