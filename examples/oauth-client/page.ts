/** Facts about the application, as the page shows them. */
export interface PageSettings {
  /** Origin of the platform. */
  readonly issuer: string;
  readonly clientId: string;
  /** Scopes, separated by blanks. */
  readonly scope: string;
}

/** One request of a flow, with its response. */
export interface Step {
  readonly title: string;
  readonly request: string;
  readonly response?: string;
  readonly failed: boolean;
}

export interface PageState {
  readonly steps: readonly Step[];
  readonly connection?: unknown;
}

const head = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Demo Bookkeeping</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><strong>Demo Bookkeeping</strong>, an example of a third-party application</header>
<main>`;

/** The page: the flow so far, with secrets shortened, and the buttons that apply. */
export function renderPage(settings: PageSettings, state?: PageState): string {
  const { steps = [], connection } = state ?? {};
  const started = steps.length > 0;
  return `${head}
${started ? `<h1>The flow, step by step</h1>\n<ol>${steps.map(renderStep).join('')}</ol>` : introduction(settings)}
<div class="next">${connection === undefined ? '' : actions}${button('/start', started ? 'Start again' : 'Connect')}</div>
</main>
</body>
</html>
`;
}

function introduction({ issuer, clientId, scope }: PageSettings): string {
  return `<h1>Connect your business</h1>
<p>This application is registered with the platform at <code>${escapeHtml(issuer)}</code> as
<code>${escapeHtml(clientId)}</code> and asks for <code>${escapeHtml(scope)}</code>.</p>
<p>Connect leads to the platform: log in with the demo login that <code>npm start</code> has printed, and approve or deny.
Then every request and response of the flow is shown here, with secrets shortened.</p>`;
}

function renderStep({ title, request, response, failed }: Step, index: number): string {
  const block = (label: string, text: string) =>
    `<pre tabindex="0" aria-label="${label}">${escapeHtml(shortenSecrets(text))}</pre>\n`;
  return `<li id="step-${index + 1}"${failed ? ' class="failed"' : ''}>
<h2>${escapeHtml(title)}</h2>
${block('Request', request)}${response === undefined ? '' : block('Response', response)}</li>`;
}

const button = (action: string, text: string) =>
  `<form method="post" action="${action}"><button>${text}</button></form>`;

const actions = [
  button('/call', 'Call the API'),
  button('/order', 'Create an order'),
  button('/refresh', 'Refresh the tokens'),
  button('/revoke', 'Revoke'),
].join('');

/** Shortens everything that looks like a secret to its two ends: at_…, rt_…, ac_…, cs_…, and the code verifier. */
function shortenSecrets(text: string): string {
  return text
    .replace(/\b[a-z]{2}_[0-9A-Za-z]{45}\b/g, shorten)
    .replace(/(?<=code_verifier=)[\w-]+/g, shorten);
}

const shorten = (secret: string) => `${secret.slice(0, 7)}…${secret.slice(-4)}`;

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
