import { renderCode, renderJson } from '../code.ts';
import { escapeHtml } from '../html.ts';
import { renderBlocks } from '../render-markdown.ts';
import { renderSamples } from '../samples/samples.ts';
import { describeDeprecation, examplesOf, needsCredential, type Operation, takesTokens } from './document.ts';
import { renderErrors, renderResponseExample, renderResponses } from './responses.ts';
import { renderFields, renderSchema } from './schema.ts';
import { renderTryForm } from './try-form.ts';

/** Everything about an operation: what it does and needs, samples, responses and errors. */
export function renderOperation(operation: Operation): string {
  const { method, path, summary } = operation;
  return `<article class="operation">
${renderHeading(operation.anchor, summary)}
<p class="address"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></p>${renderDeprecation(operation)}
<div class="halves"><div class="half">
${renderBlocks(withoutScope(operation))}
${renderFacts(operation)}
${renderParameters(operation)}
${renderBody(operation)}
<h4>Responses</h4>
${renderResponses(operation)}
${renderErrors(operation)}
</div><div class="half">
${renderSamples(operation)}
${renderTryForm(operation)}
${renderResponseExample(operation)}
</div></div>
</article>
`;
}

/** A type of event, as receivers get it. */
export function renderWebhook({ anchor, path, description = '', requestBody }: Operation): string {
  const media = requestBody?.content?.['application/json'] ?? {};
  const [example] = examplesOf(media);
  return `<article class="operation">
${renderHeading(anchor, path)}
<div class="halves"><div class="half">
${renderBlocks(description)}
${renderSchema(media.schema, 'response')}
</div><div class="half">
${example === undefined ? '' : renderJson(example)}
</div></div>
</article>
`;
}

const renderHeading = (anchor: string, title: string) =>
  `<h3 id="${anchor}"><a class="anchor" href="#${anchor}">${escapeHtml(title)}</a></h3>`;

/** The facts have the scope: a description that ends with it need not repeat it. */
const withoutScope = ({ description = '', security = [] }: Operation) =>
  security.length === 0 ? description : description.replace(/\s*Scope: `[a-z0-9:_-]+`\.\s*$/, '');

/** Since when it is deprecated, and its end; empty for other operations. */
function renderDeprecation(operation: Operation): string {
  const text = describeDeprecation(operation);
  if (text === '') return '';
  return `<p class="deprecated">${text} <a href="/docs/versions#announced">What that means</a></p>`;
}

/** Credential, scope and price of a request. */
export function renderFacts(operation: Operation): string {
  const facts = [
    ['Credential', credentialOf(operation)],
    [
      'Scope',
      scopesOf(operation)
        .map((scope) => `<code>${scope}</code>`)
        .join(' '),
    ],
    ['Hourly limit', describeCost(operation)],
    ['WebSocket', operation['x-websocket'] === true ? 'yes' : ''],
  ];
  const rows = facts
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`);
  return `<dl class="facts">${rows.join('')}</dl>`;
}

function credentialOf(operation: Operation): string {
  if (takesTokens(operation)) return 'API key or access token';
  if (needsCredential(operation)) return 'API key';
  const isForClients = operation.security?.some((way) => 'clientSecret' in way) === true;
  return isForClients ? 'client ID and client secret' : 'none';
}

const scopesOf = ({ security = [] }: Operation): string[] => [
  ...new Set(security.flatMap((way) => Object.values(way).flat())),
];

/** Requests of the rolling hour that one request counts as. */
export const costOf = (operation: Operation): number =>
  needsCredential(operation) ? (operation['x-cost'] ?? 1) : 0;

function describeCost(operation: Operation): string {
  const cost = costOf(operation);
  if (cost === 0) return 'does not count';
  return `counts as <a href="/docs/limits">${cost} request${cost === 1 ? '' : 's'}</a>`;
}

function renderParameters({ parameters }: Operation): string {
  const fields = parameters.map(({ name, in: place, required = false, schema = {}, description = '' }) => ({
    name,
    schema,
    isRequired: required,
    description: place === 'query' ? description : `${description} In the ${place}.`,
  }));
  const list = renderFields(fields, 'request');
  return list === '' ? '' : `<h4>Parameters</h4>${list}`;
}

function renderBody({ requestBody }: Operation): string {
  const [[type, media] = []] = Object.entries(requestBody?.content ?? {});
  if (type === undefined || media === undefined) return '';
  const others = Object.keys(requestBody?.content ?? {}).slice(1);
  const types = [type, ...others].map((each) => `<code>${each}</code>`).join(' or ');
  const examples = examplesOf(media)
    .slice(1)
    .map((value) => renderCode(JSON.stringify(value, null, 2), 'json'));
  const more = examples.length === 0 ? '' : `<p class="note">Another example:</p>${examples.join('')}`;
  return `<h4>Body</h4><p class="note">${types}</p>${renderSchema(media.schema, 'request')}${more}`;
}
