import type { Media } from '../reference/document.ts';

/** An object of a document. */
export type Part = Readonly<Record<string, unknown>>;

export type Parts = Readonly<Record<string, Part>>;

export interface Tag {
  readonly name: string;
  readonly description?: string | undefined;
}

/** The description of a path, by method, or what all methods share. */
export type PathItem = Readonly<Record<string, Written>>;

/** An operation, or a webhook. */
export interface Written extends Part {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly requestBody?: Part & { readonly content?: Readonly<Record<string, Media>> };
  readonly responses?: Parts;
}

/** The parts of a document that become parts of the published one. */
export interface OpenApi {
  readonly tags?: readonly Tag[];
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: Written }>>;
  readonly components?: Readonly<Record<string, Parts>>;
}

/** Keys for the services of the platform. */
const internal: ReadonlySet<string> = new Set(['x-upstream', 'x-upstreams', 'x-validate']);

/** A copy of a document without what only the platform's services read. */
export function publicContent(content: unknown): OpenApi {
  return JSON.parse(JSON.stringify(content, (name, value) => (internal.has(name) ? undefined : value)));
}

/** The component that a reference leads to; anything else as it is. */
export function resolved<Kind extends Part>(part: Kind, components: OpenApi['components']): Kind {
  if (typeof part.$ref !== 'string') return part;
  const [kind = '', name = ''] = part.$ref.split('/').slice(-2);
  return (components?.[kind]?.[name] ?? {}) as Kind;
}
