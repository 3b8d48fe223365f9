import type { LoadedDocument, Operation } from '@platform/service-kit/api/api.ts';
import type { ApiDocumentError, Place } from '@platform/service-kit/api/document.ts';
import { type ErrorObject, Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

/** The error of a value; undefined for one that the schema accepts. */
export type SchemaCheck = (value: unknown) => ErrorObject | undefined;

/** A part of a document, behind its references. */
export interface Part {
  readonly content: Readonly<Record<string, unknown>>;
  readonly place: Place;
}

/** The schemas of one document. */
export class DocumentSchemas {
  readonly #ajv = new Ajv2020({ strict: false, logger: false, verbose: true });
  readonly #document: LoadedDocument;

  constructor(document: LoadedDocument) {
    this.#document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document.content, 'document', undefined, false);
  }

  /** What stands at a place. @throws ApiDocumentError for a reference that leads nowhere */
  part(place: Place): Part | undefined {
    const content = contentAt(this.#document.content, place);
    if (!isObject(content)) return undefined;
    if (typeof content.$ref !== 'string') return { content, place };
    const target = content.$ref.startsWith('#/') ? this.part(placeOf(content.$ref)) : undefined;
    if (target === undefined) throw this.error([...place, '$ref'], 'leads nowhere');
    return target;
  }

  /** An error at a place of the document. */
  error(place: Place, text: string): ApiDocumentError {
    return this.#document.file.error(place, text);
  }

  /** The check of a schema. @throws ApiDocumentError for one that is not valid */
  compile(place: Place): SchemaCheck {
    const check = this.#compiled(place);
    // Of alternatives that all failed, the last error is about all of them.
    return (value) => (check(value) ? undefined : check.errors?.at(-1));
  }

  #compiled(place: Place): ValidateFunction {
    const schema = contentAt(this.#document.content, place);
    try {
      if (!isObject(schema) || this.#ajv.validateSchema(schema) !== true) throw new Error('is not a schema');
      return this.#ajv.compile({ $ref: `document#/${place.map(escaped).join('/')}` });
    } catch (error) {
      throw this.error(place, error instanceof Error ? error.message : 'is not a schema');
    }
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function contentAt(content: unknown, place: Place): unknown {
  let found = content;
  for (const key of place) found = (found as Record<string, unknown> | undefined)?.[key];
  return found;
}

/** JSON pointers (RFC 6901) in URLs. */
const placeOf = (reference: string): Place =>
  reference
    .slice('#/'.length)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));

const escaped = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Documents are compiled one by one: each has the references of its own. */
export function schemasByDocument(operations: readonly Operation[]): ReadonlyMap<LoadedDocument, DocumentSchemas> {
  const documents = new Set(operations.map(({ document }) => document));
  return new Map([...documents].map((document) => [document, new DocumentSchemas(document)]));
}
