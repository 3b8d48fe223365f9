import type { BrowserSession } from '../session.ts';
import { renderDocument } from './document.ts';
import { csrfField } from './form.ts';
import { type Html, html } from './html.ts';

/** A page: what is particular about it. */
export interface Page {
  /** Also the heading. */
  readonly title: string;
  readonly body: Html;
  /** Path of ours that the browser goes on to by itself. */
  readonly forwardTo?: string;
}

/** The whole document. Somebody who is logged in gets the way to the dashboard, to the account and out. */
export function renderPage({ title, body, forwardTo }: Page, session?: BrowserSession): string {
  return renderDocument({
    title,
    head: html`<meta name="robots" content="noindex">
    ${forwardTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${forwardTo}">`}`,
    body: html`<body>
    <header class="top">
      <a class="brand" href="/dashboard">Business API</a>
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
        <a href="/account">Account</a>
        <form method="post" action="/logout">${csrfField(session)}<button class="quiet">Log out</button></form>
      </nav>`;
}
