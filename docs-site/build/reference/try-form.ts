import { escapeHtml } from '../html.ts';
import { examplesOf, needsCredential, type Operation, type Parameter, takesTokens } from './document.ts';

/**
 * A form that sends a request from the page; none for operations with a client secret, which belongs on servers, for
 * pages of a browser, and for a WebSocket. Without names, so that a browser without script cannot send what is typed in.
 */
export function renderTryForm(operation: Operation): string {
  const { method, path, parameters, requestBody, 'x-websocket': isWebSocket = false } = operation;
  if (path.includes('/oauth/') || isWebSocket) return '';
  const media = requestBody?.content?.['application/json'];
  const [example] = media === undefined ? [] : examplesOf(media);
  const fields = [
    ...(needsCredential(operation) ? [keyField] : []),
    ...(takesTokens(operation) ? [rehearsalField] : []),
    ...parameters.map(renderParameter),
    media === undefined ? '' : renderBodyField(example),
  ];
  return `<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${escapeHtml(path)}" autocomplete="off">
${fields.join('\n')}
<button type="submit">Send</button>
<div class="output" role="status"></div>
</form></details>`;
}

const keyField = `<label>API key <input type="password" data-key autocomplete="off" spellcheck="false" required></label>
<p class="note">Stays in the memory of this page, and is sent to this address only.</p>`;

/** Errors that the gateway simulates for a sandbox, by their names. */
export const simulated = [
  ...['invalid-key', 'expired-key', 'forbidden', 'ip-not-allowed', 'frozen', 'suspended'],
  ...['rate-limited', 'upstream-timeout', 'upstream-error', 'slow'],
];

const rehearsalField = renderParameter({
  name: 'Prefer',
  in: 'header',
  schema: { enum: simulated.map((name) => `simulate=${name}`) },
}).replace('optional', 'rehearses an error, in a sandbox');

function renderParameter({ name, in: place, required = false, schema = {} }: Parameter): string {
  const label = `${escapeHtml(name)}${required ? '' : ' <span class="type">optional</span>'}`;
  const data = `data-in="${place}" data-name="${escapeHtml(name)}"${required ? ' required' : ''}`;
  const values = schema.enum;
  if (values === undefined) return `<label>${label} <input ${data} spellcheck="false"></label>`;
  const options = ['', ...values].map((value) => `<option>${escapeHtml(String(value))}</option>`);
  return `<label>${label} <select ${data}>${options.join('')}</select></label>`;
}

function renderBodyField(example: unknown): string {
  const text = example === undefined ? '' : JSON.stringify(example, null, 2);
  const rows = text.split('\n').length + 1;
  return `<label>Body <textarea data-body rows="${rows}" spellcheck="false">\n${escapeHtml(text)}</textarea></label>`;
}
