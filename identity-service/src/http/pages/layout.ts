import type { BrowserSession } from '../session.ts';
import { iconPath, stylesheetPath } from './assets.ts';
import { csrfField } from './form.ts';
import { type Html, html, textOf } from './html.ts';

/** A page: what is particular about it. */
export interface Page {
  /** Also the heading. */
  readonly title: string;
  readonly body: Html;
  /** Path of ours that the browser goes on to by itself. */
  readonly forwardTo?: string;
}

/** The whole document. Somebody who is logged in gets the way to the account and out. */
export function renderPage({ title, body, forwardTo }: Page, session?: BrowserSession): string {
  return textOf(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    ${forwardTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${forwardTo}">`}
    <title>${title} · Business API</title>
    <link rel="icon" type="image/svg+xml" href="${iconPath}">
    <link rel="stylesheet" href="${stylesheetPath}">
  </head>
  <body>
    <header class="top">
      <a class="brand" href="/account">Business API</a>
      ${session?.personId !== undefined && navigation(session)}
    </header>
    <main>
      <h1>${title}</h1>
      ${body}
    </main>
  </body>
</html>
`);
}

function navigation(session: BrowserSession): Html {
  return html`<nav aria-label="Account">
        <a href="/account">Account</a>
        <form method="post" action="/logout">${csrfField(session)}<button class="quiet">Log out</button></form>
      </nav>`;
}
