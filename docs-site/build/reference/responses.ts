import { STATUS_CODES } from 'node:http';
import { renderCode, renderJson } from '../code.ts';
import { escapeHtml } from '../html.ts';
import { renderInline } from '../render-markdown.ts';
import { type ApiResponse, examplesOf, type Operation } from './document.ts';
import { renderDetails, renderFields, renderSchema } from './schema.ts';

/** Sections of errors.md by status, for responses whose description links to none. */
const sections: Readonly<Record<string, string>> = {
  400: 'bad_request',
  403: 'insufficient_scope',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  429: 'rate_limit_exceeded',
  502: 'bad_gateway',
  503: 'unavailable',
  504: 'gateway_timeout',
  default: 'internal_server_error',
};

/** Those of the OAuth endpoints, whose errors have a form of their own. */
const oauthSections: Readonly<Record<string, string>> = {
  ...sections,
  400: 'invalid_request',
  401: 'invalid_client',
  403: 'application_suspended',
  413: 'invalid_request',
  429: 'temporarily_unavailable',
  503: 'server_error',
};

const isError = (status: string) => status === 'default' || status >= '4';

/** Responses of success with their fields and an example. */
export function renderResponses({ responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => !isError(status))
    .map(([status, response]) => renderResponse(status, response))
    .join('');
}

function renderResponse(
  status: string,
  { description = '', headers = {}, content = {} }: ApiResponse,
): string {
  const fields = Object.entries(headers).map(
    ([name, { schema = {}, required = false, description: text }]) => ({
      name,
      schema,
      isRequired: required,
      description: text,
    }),
  );
  const list = renderFields(fields, 'response');
  const [media] = Object.values(content);
  return [
    `<p class="status"><strong>${nameOf(status)}</strong> ${renderInline(description)}</p>`,
    renderSchema(media?.schema, 'response'),
    list === '' ? '' : renderDetails('Headers', list, 'response'),
  ].join('');
}

/** The example of the first response that has one. */
export function renderResponseExample({ responses }: Operation): string {
  for (const [status, { content = {} }] of Object.entries(responses)) {
    const [media] = Object.values(content);
    const [value] = media === undefined ? [] : examplesOf(media);
    if (!isError(status) && value !== undefined)
      return `<h4>Response ${status}</h4>${typeof value === 'string' ? renderCode(value) : renderJson(value)}`;
  }
  return '';
}

/** Errors, each with a link to its section of the page about errors. */
export function renderErrors({ responses, path }: Operation): string {
  const known = path.includes('/oauth/') ? oauthSections : sections;
  const items = Object.entries(responses)
    .filter(([status]) => isError(status))
    .map(([status, response]) => renderError(status, response, known[status]));
  return items.length === 0 ? '' : `<h4>Errors</h4><ul class="errors">${items.join('')}</ul>`;
}

const linkToSection = /\s*\[What\s+to\s+do\]\(\S*\/docs\/errors#(\w+)\)\.?/;

function renderError(status: string, { description = '', content = {} }: ApiResponse, known = ''): string {
  const section = linkToSection.exec(description)?.[1] ?? known;
  const text = renderInline(description.replace(linkToSection, '').trim());
  const [media] = Object.values(content);
  const examples = media === undefined ? [] : examplesOf(media).map(renderErrorExample);
  const name = `<a href="/docs/errors${section === '' ? '' : `#${section}`}">${nameOf(status)}</a>`;
  return `<li>${name} ${text}${examples.join('')}</li>`;
}

const renderErrorExample = (value: unknown) =>
  `<code class="example">${escapeHtml(JSON.stringify(value))}</code>`;

function nameOf(status: string): string {
  return status === 'default' ? 'Other' : `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}
