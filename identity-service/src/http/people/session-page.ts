import type { SessionSummary } from '../../sessions/session.ts';
import { csrfField } from '../pages/form.ts';
import { type Html, html } from '../pages/html.ts';
import type { Page } from '../pages/layout.ts';
import { momentHtml } from '../pages/moment.ts';
import type { BrowserSession } from '../session.ts';
import { describeUserAgent } from './user-agent.ts';

/** @param current reference of the session that asks */
export function sessionsPage(
  session: BrowserSession,
  list: readonly SessionSummary[],
  current: string,
): Page {
  return {
    title: 'Sessions',
    body: html`<p>Where you are logged in. End any session you do not recognise, then change your password.</p>
<ul class="rows">${list.map((each) => sessionRow(session, each, each.reference === current))}</ul>
${
  list.length > 1 &&
  html`<form class="actions" method="post" action="/account/sessions/end-others">
  ${csrfField(session)}<button class="danger">End all others</button>
</form>`
}
<p class="below"><a href="/account">Back to your account</a></p>`,
  };
}

function sessionRow(session: BrowserSession, each: SessionSummary, isCurrent: boolean): Html {
  const browser = describeUserAgent(each.userAgent);
  return html`<li>
  <div>
    <p><strong>${browser}</strong> ${isCurrent && html`<span class="tag good">This one</span>`}</p>
    <p class="soft">${each.clientIp}</p>
    <p class="soft">Since ${momentHtml(each.createdAt)}</p>
    <p class="soft">Last used ${momentHtml(each.lastSeenAt)}</p>
  </div>
  <form method="post" action="/account/sessions/end">
    ${csrfField(session)}
    <input type="hidden" name="session" value="${each.reference}">
    <button class="second" aria-label="End the session of ${browser}">End</button>
  </form>
</li>`;
}
