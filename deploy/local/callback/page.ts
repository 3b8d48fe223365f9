import type { DemoClient } from './demo-client.ts';
import { type Html, html, textOf } from './html.ts';
import type { Step, Visit } from './visit.ts';

/** The application's one page: what it is, what happened so far, and what can be done next. */
export function renderPage(client: DemoClient, visit: Visit | undefined): string {
  const { steps, tokens } = visit ?? { steps: [] };
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Demo Bookkeeping</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><p><strong>Demo Bookkeeping</strong> plays a third-party application</p></header>
<main>
${steps.length === 0 ? introduction(client) : story(steps)}
${tokens === undefined ? startForm(steps.length > 0) : nextForms}
</main>
</body>
</html>
`);
}

function introduction({ issuer, clientId, scopes }: DemoClient): Html {
  return html`<h1>Connect your business</h1>
<p>This page plays a third-party application. It is registered with the platform at <code>${issuer}</code> as
<code>${clientId}</code> and asks for <code>${scopes.join(' ')}</code>.</p>
<ol>
<li>You are sent to the platform. Log in with the demo login that <code>npm start</code> has printed.</li>
<li>You see what the application asks for, and allow it or not.</li>
<li>You come back here with a code. The application exchanges it for tokens and makes its first request.</li>
</ol>
<p>Every request and every answer is shown here, with secrets shortened.</p>`;
}

function story(steps: readonly Step[]): Html {
  const items = steps.map(
    (
      { title, why, request, answer, failed },
      index,
    ) => html`<li class="${failed ? 'failed' : 'fine'}" id="step-${String(index + 1)}">
<h2>${title}</h2>
<p>${why}</p>
<pre tabindex="0" aria-label="Request">${request}</pre>
${answer === undefined ? '' : html`<pre tabindex="0" aria-label="Answer">${answer}</pre>`}
</li>`,
  );
  return html`<h1>What happened, step by step</h1>
<ol class="steps">${items}</ol>`;
}

function startForm(again: boolean): Html {
  return html`<form method="post" action="/start"><button>${again ? 'Start again' : 'Connect'}</button></form>`;
}

const nextForms = html`<div class="next">
<form method="post" action="/call"><button>Call the API</button></form>
<form method="post" action="/refresh"><button>Refresh the tokens</button></form>
<form method="post" action="/revoke"><button class="quiet">Revoke</button></form>
<form method="post" action="/start"><button class="quiet">Start again</button></form>
</div>`;
