/** The parts of the OpenAPI document that are rendered. */
export interface ReferenceDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>;
}

const methods: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete']);

/** Every operation of the API as Markdown: description with its scope, parameters, statuses, and the examples of the document. */
export function renderReferenceMarkdown({ paths, components }: ReferenceDocument): string {
  const sections = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) =>
        renderOperation(`${method.toUpperCase()} ${path}`, operation, components),
      ),
  );
  return `# API reference\n\nThe whole document with every schema: /docs/openapi.yaml, /docs/openapi.json.\n\n${sections.join('\n')}`;
}

function renderOperation(
  title: string,
  operation: Operation,
  { parameters: shared }: ReferenceDocument['components'],
): string {
  const { summary = '', description = '', responses = {}, requestBody } = operation;
  const parameters = (operation.parameters ?? []).flatMap((each) =>
    '$ref' in each ? (shared[each.$ref.split('/').at(-1) ?? ''] ?? []) : each,
  );
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const parts = [
    `## ${summary}\n\n\`${title}\``,
    description.trim(),
    parameters.map(renderParameter).join('\n'),
    renderExample('Request body', requestBody),
    renderExample('Response', success),
    `Statuses: ${Object.keys(responses)
      .filter((status) => status !== 'default')
      .join(', ')}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function renderParameter({ name, in: place, required = false, description = '' }: Parameter): string {
  return `- \`${name}\` (${place}${required ? ', required' : ''}): ${description.trim()}`;
}

function renderExample(label: string, body: Body | undefined): string {
  const [[type, { example } = {}] = []] = Object.entries(body?.content ?? {});
  if (example === undefined) return '';
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return `${label} (\`${type}\`):\n\n\`\`\`${type === 'application/json' ? 'json' : ''}\n${text}\n\`\`\``;
}
