import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { issueText } from '../input/validation.ts';
import { ApiDocumentError, type Place, readApiFile } from './document.ts';
import type { LoadedDocument, Operation } from './operation.ts';
import { checkPaths } from './paths.ts';
import { checkReferences } from './references.ts';
import { documentSchema, type Method, methods, type OperationObject } from './schema.ts';

export type { LoadedDocument, Operation } from './operation.ts';

/** A scope (RFC 6749 section 3.3) with what a person reads who grants it. */
export interface Scope {
  readonly name: string;
  readonly text: string;
}

/** A service of the operator's behind the gateway. */
export interface OwnUpstream {
  readonly name: string;
  readonly origins: readonly string[];
  /** Undefined: as the platform's own. */
  readonly timeoutMs: number | undefined;
  readonly document: LoadedDocument;
}

/** A type of event that a document declares. */
export interface EventType {
  readonly name: string;
  /** Scope of the credentials that read it. */
  readonly scope: string;
  /** In words, for people who choose it. */
  readonly text: string;
  /** Of its data; empty where the document has none. */
  readonly example: object;
  readonly document: LoadedDocument;
}

/** The API of an installation: the platform's own operations, and those of the operator's services. */
export interface Api {
  readonly documents: readonly LoadedDocument[];
  readonly operations: readonly Operation[];
  /** Sorted by name. */
  readonly scopes: readonly Scope[];
  readonly upstreams: readonly OwnUpstream[];
  /** Of the operator's services. */
  readonly events: readonly EventType[];
}

/** Upstreams that the gateway knows by itself; what it serves alone is `limit`. */
export const platformUpstreams = ['business', 'feed', 'identity', 'limit'] as const;

const platformFile = resolve(import.meta.dirname, '../../../api/platform.yaml');

/**
 * Reads the platform's document, and every .yaml, .yml and .json of a directory.
 * @param directory of the operator's documents; undefined for none
 * @throws ApiDocumentError with file and line
 */
export function readApi(directory?: string): Api {
  const files = directory === undefined ? [] : filesOf(directory);
  const documents = [
    loadDocument(platformFile, true),
    ...files.map((name) => loadDocument(join(directory ?? '', name), false)),
  ];
  const scopes = scopesOf(documents);
  const upstreams = upstreamsOf(documents);
  const context = { scopes, upstreams: new Set(upstreams.map(({ name }) => name)) };
  const operations = documents.flatMap((document) => operationsOf(document, context));
  checkPaths(operations);
  checkOnce(operations, ({ definition }) => definition.operationId, 'operationId');
  checkComponents(documents);
  for (const { file } of documents) checkReferences(file);
  const events = documents.filter(({ isPlatform }) => !isPlatform).flatMap((one) => eventsOf(one, scopes));
  checkTypes(events);
  return {
    documents,
    operations,
    scopes: [...scopes].map(([name, text]) => ({ name, text })).sort((a, b) => (a.name < b.name ? -1 : 1)),
    upstreams,
    events,
  };
}

function filesOf(directory: string): string[] {
  if (!existsSync(directory)) throw new ApiDocumentError(`${directory}: there is no such directory`);
  return readdirSync(directory)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .sort();
}

function loadDocument(path: string, isPlatform: boolean): LoadedDocument {
  const file = readApiFile(path);
  const parsed = documentSchema.safeParse(file.content, { error: issueText });
  if (parsed.success) return { file, content: parsed.data, isPlatform };
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw file.error([], 'is not an OpenAPI document');
  const place = issue.path.map(String);
  throw issue.code === 'unrecognized_keys'
    ? file.error([...place, issue.keys[0] ?? ''], 'is not known')
    : file.error(place, issue.message);
}

/** Scopes of every document with their texts. */
function scopesOf(documents: readonly LoadedDocument[]): ReadonlyMap<string, string> {
  const scopes = new Map<string, string>();
  for (const { file, content } of documents) {
    for (const [scheme, { flows }] of Object.entries(content.components.securitySchemes)) {
      const place = ['components', 'securitySchemes', scheme, 'flows', 'authorizationCode', 'scopes'];
      for (const [name, text] of Object.entries(flows?.authorizationCode?.scopes ?? {})) {
        const problem = scopes.has(name) ? 'is a scope of another document' : problemOfScope(name, text);
        if (problem !== undefined) throw file.error([...place, name], problem);
        scopes.set(name, text);
      }
    }
  }
  return scopes;
}

function problemOfScope(name: string, text: string): string | undefined {
  if (!/^[a-z][a-z0-9_-]{0,30}:[a-z][a-z0-9_-]{0,30}$/.test(name)) return 'must look like invoices:read';
  return text.trim() === '' ? 'has no text for the people who grant it' : undefined;
}

function upstreamsOf(documents: readonly LoadedDocument[]): OwnUpstream[] {
  const upstreams = new Map<string, OwnUpstream>();
  for (const document of documents) {
    const { file, content } = document;
    for (const [name, { origins, timeout }] of Object.entries(content['x-upstreams'])) {
      const isTaken = upstreams.has(name) || isPlatformUpstream(name) || otherNames.has(name);
      if (isTaken) throw file.error(['x-upstreams', name], 'is the name of another upstream');
      upstreams.set(name, { name, origins, timeoutMs: timeout, document });
    }
  }
  return [...upstreams.values()];
}

const isPlatformUpstream = (name: string) => platformUpstreams.some((known) => known === name);

/** The audience of passports for business-service, as those of an upstream have its name; and what the gateway's pages are routed to. */
const otherNames: ReadonlySet<string> = new Set(['business-service', 'docs']);

interface Known {
  readonly scopes: ReadonlyMap<string, string>;
  /** Names of the operator's. */
  readonly upstreams: ReadonlySet<string>;
}

function operationsOf(document: LoadedDocument, known: Known): Operation[] {
  const { file, content, isPlatform } = document;
  return Object.entries(content.paths).flatMap(([path, item]) => {
    // The consent page and the metadata of RFC 8414 are described there, and are no part of the API.
    if (isPlatform && !path.startsWith('/v2/')) return [];
    return methods.flatMap((method): Operation[] => {
      const definition = item[method];
      if (definition === undefined) return [];
      const place = ['paths', path, method];
      const upstream = definition['x-upstream'];
      if (upstream === undefined) throw file.error(place, 'names no x-upstream');
      const isKnown = isPlatform ? isPlatformUpstream(upstream) : known.upstreams.has(upstream);
      if (!isKnown) throw file.error([...place, 'x-upstream'], `no x-upstreams has ${upstream}`);
      checkDeprecation(document, definition, place);
      checkWebSocket(document, definition, place, method);
      const scope = upstream === 'identity' ? null : scopeOf(document, definition, place, known.scopes);
      const pathParameters = item.parameters;
      const upper = method.toUpperCase() as Uppercase<Method>;
      return [{ method: upper, path, upstream, scope, definition, pathParameters, document, place }];
    });
  });
}

function checkWebSocket(
  { file }: LoadedDocument,
  definition: OperationObject,
  place: Place,
  method: Method,
): void {
  if (definition['x-websocket'] && method !== 'get')
    throw file.error([...place, 'x-websocket'], 'is for GET: a WebSocket is opened by it');
}

/** The one scope that every alternative of `security` asks for. */
function scopeOf(
  { file, content }: LoadedDocument,
  { security }: OperationObject,
  place: Place,
  scopes: ReadonlyMap<string, string>,
): string {
  if (security === undefined || security.length === 0) throw file.error(place, 'names no security');
  const asked = security.map((alternative) => {
    const [[scheme, names = []] = []] = Object.entries(alternative);
    if (scheme === undefined)
      throw file.error([...place, 'security'], 'permits requests without a credential');
    if (content.components.securitySchemes[scheme] === undefined)
      throw file.error([...place, 'security'], `no securitySchemes has ${scheme}`);
    if (names.length > 1) throw file.error([...place, 'security'], 'asks for more than one scope');
    return names[0] ?? '';
  });
  const [scope = ''] = asked;
  if (asked.some((other) => other !== scope))
    throw file.error([...place, 'security'], 'asks for different scopes');
  if (scope !== '' && !scopes.has(scope))
    throw file.error([...place, 'security'], `no securitySchemes has a text for ${scope}`);
  return scope;
}

function checkDeprecation({ file }: LoadedDocument, definition: OperationObject, place: Place): void {
  const { deprecated, 'x-sunset': sunset, 'x-deprecated-since': since } = definition;
  if (sunset === undefined && since === undefined) return;
  if (!deprecated) throw file.error(place, 'ends, and is not deprecated');
  if (sunset === undefined || since === undefined)
    throw file.error(place, 'needs both x-deprecated-since and x-sunset');
}

function eventsOf(document: LoadedDocument, scopes: ReadonlyMap<string, string>): EventType[] {
  const { file, content } = document;
  return Object.entries(content.webhooks).map(([name, { post }]) => {
    const place = ['webhooks', name];
    if (!/^[a-z][a-z0-9_]{0,30}\.[a-z][a-z0-9_]{0,30}$/.test(name))
      throw file.error(place, 'must look like invoice.paid');
    if (platformResources.has(name.replace(/\..*/, '')))
      throw file.error(place, 'is about a resource of the platform');
    const scope = scopeOf(document, post, [...place, 'post'], scopes);
    if (scope === '') throw file.error([...place, 'post'], 'names no scope');
    return { name, scope, text: String(post.summary ?? name), example: exampleOf(post), document };
  });
}

function checkTypes(events: readonly EventType[]): void {
  const seen = new Set<string>();
  for (const { name, document } of events) {
    if (seen.has(name)) throw document.file.error(['webhooks', name], 'is a type of another document');
    seen.add(name);
  }
}

const bodyWithExample = z.object({
  content: z.object({ 'application/json': z.object({ example: z.record(z.string(), z.unknown()) }) }),
});

const exampleOf = ({ requestBody }: OperationObject): object =>
  bodyWithExample.safeParse(requestBody).data?.content['application/json'].example ?? {};

/** Resources that the platform's own events are about. */
const platformResources: ReadonlySet<string> = new Set(['order', 'business', 'application', 'api_key']);

/** Documents are published as one: two components of a name would be ambiguous. */
function checkComponents(documents: readonly LoadedDocument[]): void {
  const seen = new Set<string>();
  for (const { file, content } of documents) {
    for (const [kind, entries] of Object.entries(content.components)) {
      // A scheme has the same name in each document.
      if (kind === 'securitySchemes') continue;
      for (const name of Object.keys(entries as object)) {
        if (seen.has(`${kind} ${name}`))
          throw file.error(['components', kind, name], 'is a component of another document');
        seen.add(`${kind} ${name}`);
      }
    }
  }
}

function checkOnce(
  operations: readonly Operation[],
  keyOf: (operation: Operation) => string,
  what: string,
): void {
  const seen = new Set<string>();
  for (const operation of operations) {
    const key = keyOf(operation);
    const { document, place } = operation;
    if (seen.has(key)) throw document.file.error([...place, what], `${key} is another operation`);
    seen.add(key);
  }
}
