import type { EventType, LoadedDocument, Operation } from '@platform/service-kit/api/api.ts';
import { examplesOf } from '../reference/document.ts';
import { withGatewayResponses } from './gateway-responses.ts';
import { type OpenApi, type Part, type PathItem, publicContent, resolved, type Written } from './open-api.ts';

/** As the operator writes it; it has passed `documentSchema`. */
interface OwnDocument extends OpenApi {
  readonly info: { readonly title: string; readonly description?: string };
}

/** How the platform writes an event. */
export interface EventForm {
  readonly schema: Part & { readonly properties: Part };
  readonly example: Part;
}

/** Kinds of components that operations refer to. Others may name servers. */
const referredKinds = ['schemas', 'parameters', 'headers', 'responses', 'requestBodies', 'examples'];

/** The part of the API that a document describes. */
interface Described {
  readonly operations: readonly Operation[];
  readonly events: readonly EventType[];
}

/** The parts that a document of the operator's adds to the published one: neither its servers nor its credentials. */
export function ownParts({ file }: LoadedDocument, described: Described, form: EventForm): OpenApi {
  const document = publicContent(file.content) as OwnDocument;
  const { info, tags = [], components = {} } = document;
  const paths: Record<string, PathItem> = { ...document.paths };
  const used = new Set<string>();
  for (const { path, method, scope } of described.operations) {
    const name = method.toLowerCase();
    const operation = publishedOperation(paths[path]?.[name] ?? {}, scope, document);
    for (const tag of operation.tags) used.add(tag);
    paths[path] = { ...paths[path], [name]: operation };
  }
  const webhooks = described.events.map((event) => {
    const written = document.webhooks?.[event.name]?.post ?? {};
    return [
      event.name,
      { post: publishedEvent(event, { tags: [info.title], ...written }, components, form) },
    ];
  });
  const named = [
    ...tags,
    { name: info.title, description: info.description },
    ...[...used].map((name) => ({ name })),
  ];
  return {
    tags: named.filter(({ name }) => used.has(name)),
    paths,
    webhooks: Object.fromEntries(webhooks),
    components: Object.fromEntries(
      Object.entries(components).filter(([kind]) => referredKinds.includes(kind)),
    ),
  };
}

/** An operation with the platform's credentials and the responses of the gateway. */
function publishedOperation(written: Written, scope: string | null, { info, components }: OwnDocument) {
  const { tags = [], responses = {}, description, ...rest } = written;
  const scopes = scope ? [scope] : [];
  return {
    tags: tags.length === 0 ? [info.title] : tags,
    summary: String(written.operationId),
    ...rest,
    description: withScope(description, scope),
    security: [{ apiKey: scopes }, { oauth2: scopes }],
    responses: withGatewayResponses(responses, components),
  };
}

/** Descriptions of the platform end with the scope, for readers of the document alone. */
const withScope = (description = '', scope: string | null) =>
  scope ? `${description} Scope: \`${scope}\`.`.trim() : description;

/** An event as receivers get it: its document describes `data`. */
function publishedEvent(
  { name, scope }: EventType,
  { security: _security, summary, description = summary, requestBody = {}, ...rest }: Written,
  components: OpenApi['components'],
  { schema, example }: EventForm,
): Written {
  const media = resolved(requestBody, components).content?.['application/json'] ?? {};
  const [data] = examplesOf(media);
  const type = { const: name };
  return {
    summary: name,
    responses: { '2XX': { description: 'The event was received. Another status is a failure.' } },
    ...rest,
    description: withScope(description, scope),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { ...schema, properties: { ...schema.properties, type, data: media.schema ?? {} } },
          ...(data !== undefined && { example: { ...example, type: name, data } }),
        },
      },
    },
  };
}
