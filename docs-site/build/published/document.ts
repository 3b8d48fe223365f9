import { readFileSync } from 'node:fs';
import type { Api, LoadedDocument } from '@platform/service-kit/api/api.ts';
import { stringify } from 'yaml';
import { type OpenApi, type Part, type Parts, publicContent, type Tag } from './open-api.ts';
import { ownParts } from './own-document.ts';

/** The platform's document, as far as the operator's change it. */
interface PlatformDocument extends OpenApi {
  readonly tags: readonly Tag[];
  readonly webhooks: {
    readonly 'order.created': {
      readonly post: {
        readonly requestBody: {
          readonly content: { readonly 'application/json': { readonly example: Part } };
        };
      };
    };
  };
  readonly components: {
    readonly securitySchemes: {
      readonly oauth2: { readonly flows: { readonly authorizationCode: { scopes: Part } } };
    };
    readonly schemas: {
      readonly OrderEvent: { readonly properties: Part };
      readonly ServerMetadata: {
        readonly properties: { readonly scopes_supported: { readonly items: { enum: readonly string[] } } };
      };
    };
  };
}

/**
 * The API of an installation as one document: the operator's paths, events and components beside the platform's, with the
 * platform's credentials and the responses of the gateway.
 */
export function publishedDocument({ documents, operations, scopes, events }: Api): OpenApi {
  const [first, ...own] = documents;
  const platform = publicContent(first?.file.content) as PlatformDocument;
  const { securitySchemes, schemas } = platform.components;
  securitySchemes.oauth2.flows.authorizationCode.scopes = Object.fromEntries(
    scopes.map(({ name, text }) => [name, text]),
  );
  schemas.ServerMetadata.properties.scopes_supported.items.enum = scopes.map(({ name }) => name);
  const { OrderEvent: schema } = schemas;
  const { example } = platform.webhooks['order.created'].post.requestBody.content['application/json'];
  const parts = own.map((document) => {
    const isOfIt = (one: { readonly document: LoadedDocument }) => one.document === document;
    const described = { operations: operations.filter(isOfIt), events: events.filter(isOfIt) };
    return ownParts(document, described, { schema, example });
  });
  return {
    ...platform,
    tags: uniqueTags([platform, ...parts].flatMap(({ tags = [] }) => tags)),
    paths: Object.assign({}, platform.paths, ...parts.map(({ paths }) => paths)),
    webhooks: Object.assign({}, platform.webhooks, ...parts.map(({ webhooks }) => webhooks)),
    components: componentsOf([platform, ...parts]),
  };
}

const uniqueTags = (tags: readonly Tag[]): Tag[] =>
  tags.filter(({ name }, index) => tags.findIndex((tag) => tag.name === name) === index);

function componentsOf(documents: readonly OpenApi[]): Readonly<Record<string, Parts>> {
  const merged: Record<string, Parts> = {};
  for (const { components = {} } of documents) {
    for (const [kind, entries] of Object.entries(components)) merged[kind] = { ...merged[kind], ...entries };
  }
  return merged;
}

/** The document as YAML: the platform's own as it is written, with its comments. */
export function publishedYaml({ documents: [platform, ...own] }: Api, document: OpenApi): string {
  if (platform === undefined || own.length > 0) return stringify(document, { aliasDuplicateObjects: false });
  return readFileSync(platform.file.file, 'utf8').replace(/^ +(?:x-upstream|x-validate): .*\n/gm, '');
}
