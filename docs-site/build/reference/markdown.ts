import {
  type ApiDocument,
  describeDeprecation,
  examplesOf,
  type Media,
  type Operation,
  operationsOf,
  type Parameter,
} from './document.ts';

/** Every operation of the API as Markdown: description with its scope, parameters, statuses, and the examples of the document. */
export function renderReferenceMarkdown(document: ApiDocument): string {
  const sections = operationsOf(document).map(renderOperation);
  return `# API reference\n\nThe whole document with every schema: /docs/openapi.yaml, /docs/openapi.json.\n\n${sections.join('\n')}`;
}

function renderOperation(operation: Operation): string {
  const { method, path, summary, description = '', parameters, requestBody, responses } = operation;
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const parts = [
    `## ${summary}\n\n\`${method} ${path}\``,
    describeDeprecation(operation),
    description.trim(),
    parameters.map(renderParameter).join('\n'),
    renderExample('Request body', requestBody?.content),
    renderExample('Response', success?.content),
    `Statuses: ${Object.keys(responses)
      .filter((status) => status !== 'default')
      .join(', ')}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function renderParameter({ name, in: place, required = false, description = '' }: Parameter): string {
  return `- \`${name}\` (${place}${required ? ', required' : ''})${description === '' ? '' : `: ${description.trim()}`}`;
}

function renderExample(label: string, content: Readonly<Record<string, Media>> = {}): string {
  const [[type, media] = []] = Object.entries(content);
  const [example] = media === undefined ? [] : examplesOf(media);
  if (example === undefined) return '';
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return `${label} (\`${type}\`):\n\n\`\`\`${type === 'application/json' ? 'json' : ''}\n${text}\n\`\`\``;
}
