/** A schema of JSON Schema 2020-12, as far as the document uses it. */
export interface Schema {
  /** Name among the components. */
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

/** Values of the examples, in the order of the document. */
export const examplesOf = ({ example, examples = {} }: Media): unknown[] =>
  example === undefined ? Object.values(examples).map(({ value }) => value) : [example];

type Content = Readonly<Record<string, Media>>;

export interface ApiResponse {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, Omit<Parameter, 'name' | 'in'>>>;
  readonly content?: Content;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses: Readonly<Record<string, ApiResponse>>;
  /** Requests of the hour that one request counts as; 1 where absent and a credential is needed. */
  readonly 'x-cost'?: number;
  /** Whether a GET may become a WebSocket. */
  readonly 'x-websocket'?: boolean;
  /** Days, as 2027-01-31. */
  readonly 'x-deprecated-since'?: string;
  readonly 'x-sunset'?: string;
}

interface PathItem {
  readonly parameters?: readonly Parameter[];
  readonly get?: DocumentedOperation;
  readonly post?: DocumentedOperation;
  readonly put?: DocumentedOperation;
  readonly patch?: DocumentedOperation;
  readonly delete?: DocumentedOperation;
}

/** The parts of openapi.yaml that are rendered, without references. */
export interface ApiDocument {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
}

/** An operation with where it is. */
export interface Operation extends DocumentedOperation {
  /** In capitals. */
  readonly method: string;
  /** Path of the URL; of a webhook, the type of the event. */
  readonly path: string;
  readonly tag: string;
  /** Those of its path as well. */
  readonly parameters: readonly Parameter[];
  /** Id of its heading: links of the form `/docs/reference#/Orders/listOrders` are in use. */
  readonly anchor: string;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Operations below `paths`, in the order of the document. */
export const operationsOf = ({ paths }: ApiDocument): Operation[] =>
  Object.entries(paths).flatMap(([path, item]) => operationsAt(path, item));

/** Events as receivers of webhooks get them; their tag is `webhooks`. */
export const webhooksOf = ({ webhooks }: ApiDocument): Operation[] =>
  Object.entries(webhooks).flatMap(([type, item]) => operationsAt(type, item, 'webhooks'));

function operationsAt(path: string, item: PathItem, group?: string): Operation[] {
  return methods.flatMap((method) => {
    const operation = item[method];
    if (operation === undefined) return [];
    const tag = group ?? operation.tags[0] ?? '';
    return {
      ...operation,
      method: method.toUpperCase(),
      path,
      tag,
      parameters: [...(item.parameters ?? []), ...(operation.parameters ?? [])],
      anchor: `${anchorOf(tag)}/${operation.operationId}`,
    };
  });
}

/** Id of the heading of a tag. */
export const anchorOf = (tag: string): string => `/${encodeURIComponent(tag)}`;

/** Whether a request needs an API key or access token. */
export const needsCredential = ({ security = [] }: Operation): boolean =>
  security.some((way) => 'apiKey' in way);

/** Whether the credential may be an access token. */
export const takesTokens = ({ security = [] }: Operation): boolean => security.some((way) => 'oauth2' in way);

/** Since when an operation is deprecated, and when it ends, in a sentence; empty for others. */
export function describeDeprecation(operation: Operation): string {
  const { deprecated = false, 'x-deprecated-since': since, 'x-sunset': sunset } = operation;
  if (!deprecated) return '';
  return since === undefined ? 'Deprecated.' : `Deprecated since ${since}. Ends on ${sunset}.`;
}

/** The document with what each `$ref` leads to in its place; inside itself a schema is its name. @throws when one leads nowhere */
export function dereference(document: object): ApiDocument {
  return follow(document, document, []) as ApiDocument;
}

function follow(document: object, part: unknown, above: readonly string[]): unknown {
  if (Array.isArray(part)) return part.map((each) => follow(document, each, above));
  if (typeof part !== 'object' || part === null) return part;
  const { $ref, ...own } = part as { readonly $ref?: string };
  const rest = Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, follow(document, value, above)]),
  );
  if ($ref === undefined) return rest;
  const title = $ref.includes('/schemas/') ? { title: $ref.split('/').at(-1) } : {};
  if (above.includes($ref)) return { ...title, ...rest };
  const target = follow(document, targetOf(document, $ref), [...above, $ref]) as object;
  return { ...title, ...target, ...rest };
}

function targetOf(document: object, ref: string): unknown {
  const names = ref.split('/').slice(1);
  const target = names.reduce<unknown>((part, name) => (part as Record<string, unknown>)?.[name], document);
  if (target === undefined) throw new Error(`${ref} leads nowhere`);
  return target;
}
