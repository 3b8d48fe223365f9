import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { HttpResponse } from './http-request.ts';

/** An OpenAPI 3.1 document, as far as tests look into it. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, unknown>>;
    readonly responses?: Readonly<Record<string, OpenApiResponse>>;
    readonly headers?: Readonly<Record<string, OpenApiHeader>>;
  };
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiResponse {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, OpenApiHeader | Reference>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** A header of a response. */
export interface OpenApiHeader {
  readonly required?: boolean;
  readonly schema: object;
}

interface Reference {
  readonly $ref: string;
}

/** Place of a response in the document. */
export interface Documented {
  readonly operationId: string;
  /** Status, or `default`. */
  readonly status: string;
}

/**
 * Checks a response against a document: its status, media type, headers and body, which may have no unknown field.
 * @throws when the document does not describe such a response of that operation
 */
export type ResponseCheck = (method: string, path: string, actual: HttpResponse) => Documented;

export function createResponseCheck(document: OpenApiDocument): ResponseCheck {
  // Another test checks that the schemas are valid. Doing it here would take most of the time.
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  addFormats.default(ajv);
  ajv.addSchema(closed(document), 'document');
  const checkValue = (what: string, pointer: readonly string[], value: unknown) => {
    const place = `document#/${pointer.map(escapePointer).join('/')}`;
    const isValid = ajv.getSchema(place);
    if (isValid === undefined) throw new Error(`${what}: there is no ${place}.`);
    if (isValid(value)) return;
    throw new Error(
      `${what} is not as documented: ${ajv.errorsText(isValid.errors)}\n${JSON.stringify(value)}`,
    );
  };
  return (method, path, actual) => {
    const { operationId, status, response, pointer } = findResponse(document, method, path, actual);
    const where = `${operationId}: ${actual.status}`;
    for (const { name, value, place } of documentedHeaders(document, where, response, actual)) {
      checkValue(`${where}: ${name}`, [...(place ?? [...pointer, 'headers', name]), 'schema'], value);
    }
    const mediaType = documentedMediaType(where, response, actual);
    if (mediaType === 'application/json' && actual.text !== '') {
      checkValue(where, [...pointer, 'content', mediaType, 'schema'], actual.json());
    }
    return { operationId, status };
  };
}

interface FoundResponse extends Documented {
  readonly response: OpenApiResponse;
  /** Where it stands. */
  readonly pointer: readonly string[];
}

function findResponse(
  document: OpenApiDocument,
  method: string,
  path: string,
  { status: sent, text }: HttpResponse,
): FoundResponse {
  const template = Object.keys(document.paths).find((candidate) => matches(candidate, path)) ?? '';
  const verb = method.toLowerCase();
  const operation = document.paths[template]?.[verb];
  if (operation === undefined) throw new Error(`${method} ${path} is not in the document.`);
  const { operationId, responses } = operation;
  const status = String(sent) in responses ? String(sent) : 'default';
  const written = responses[status];
  if (written === undefined) throw new Error(`${operationId}: ${sent} is not in the document:\n${text}`);
  const name = written.$ref?.split('/').at(-1);
  if (name === undefined) {
    const pointer = ['paths', template, verb, 'responses', status];
    return { operationId, status, response: written, pointer };
  }
  const response = document.components?.responses?.[name] ?? {};
  return { operationId, status, response, pointer: ['components', 'responses', name] };
}

function matches(template: string, path: string): boolean {
  const pattern = template.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}$`).test(path.split('?', 1)[0] ?? '');
}

interface FoundHeader {
  readonly name: string;
  readonly value: unknown;
  /** Where it is described, unless that is in the response itself. */
  readonly place: readonly string[] | undefined;
}

/** Headers that the document knows and the response has. @throws when a required one is missing */
function documentedHeaders(
  document: OpenApiDocument,
  where: string,
  { headers = {} }: OpenApiResponse,
  actual: HttpResponse,
): FoundHeader[] {
  return Object.entries(headers).flatMap(([name, written]) => {
    const { header, place } = resolveHeader(document, written);
    const value = actual.headers[name.toLowerCase()];
    if (value === undefined && header.required) throw new Error(`${where} has no ${name}.`);
    if (value === undefined) return [];
    const isNumber = 'type' in header.schema && header.schema.type === 'integer';
    return [{ name, value: isNumber ? Number(value) : value, place }];
  });
}

/** A header, and its place where that is elsewhere. @throws when it refers to nothing */
function resolveHeader(document: OpenApiDocument, written: OpenApiHeader | Reference) {
  if (!('$ref' in written)) return { header: written, place: undefined };
  const place = written.$ref.replace('#/', '').split('/');
  const header = document.components?.headers?.[place.at(-1) ?? ''];
  if (header === undefined) throw new Error(`${written.$ref} refers to nothing.`);
  return { header, place };
}

/** The media type of a response; undefined for a redirect or without a body. @throws when it is another than documented */
function documentedMediaType(
  where: string,
  { content = {} }: OpenApiResponse,
  actual: HttpResponse,
): string | undefined {
  if (actual.status >= 300 && actual.status < 400) return undefined;
  const documented = Object.keys(content);
  const sent = actual.headers['content-type']?.split(';', 1)[0];
  const isDocumented = sent === undefined ? documented.length === 0 : documented.includes(sent);
  if (!isDocumented) throw new Error(`${where} is ${sent}, but documented as ${documented.join(' or ')}.`);
  return sent;
}

/** The document with every object that lists its properties closed: a field that is not documented is an error. */
function closed(document: OpenApiDocument): object {
  const text = JSON.stringify(document, (_, value) =>
    listsProperties(value) ? { additionalProperties: false, ...value } : value,
  );
  return JSON.parse(text);
}

function listsProperties(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'properties' in value && 'type' in value;
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
