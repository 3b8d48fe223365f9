import { createRequire } from 'node:module';
import type { LoadedDocument } from '@platform/service-kit/api/api.ts';
import type { ApiDocumentError, Place } from '@platform/service-kit/api/document.ts';
import { issueText } from '@platform/service-kit/input/validation.ts';
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import type { z } from 'zod';
import { checkEnds } from './endless.ts';
import { contentAt, isObject, placeOf } from './place.ts';

/** The error of a value; undefined for one that the schema accepts. */
export type SchemaCheck = (value: unknown) => ErrorObject | undefined;

/** A part of a document, behind its references. */
interface Part<T> {
  readonly content: T;
  readonly place: Place;
}

/** The schemas of one document. */
export class DocumentSchemas {
  readonly #ajv = createAjv();
  readonly #document: LoadedDocument;

  /** @throws ApiDocumentError for a component that cannot be used */
  constructor(document: LoadedDocument) {
    this.#document = document;
    checkEnds(document);
    const { schemas } = document.content.components;
    for (const name of isObject(schemas) ? Object.keys(schemas) : [])
      this.#checkSchema(['components', 'schemas', name]);
    this.#at([], () => this.#ajv.addSchema(document.content, 'document', undefined, false));
  }

  /** The part at a place, in its exact type. @throws ApiDocumentError for one of another type */
  part<T extends z.ZodType>(place: Place, shape: T): Part<z.output<T>> {
    const content = contentAt(this.#document.content, place);
    if (isObject(content) && typeof content.$ref === 'string') return this.part(placeOf(content.$ref), shape);
    const parsed = shape.safeParse(content, { error: issueText });
    if (parsed.success) return { content: parsed.data, place };
    const [issue] = parsed.error.issues;
    throw this.error([...place, ...(issue?.path.map(String) ?? [])], issue?.message ?? 'cannot be used');
  }

  /** An error at a place of the document. */
  error(place: Place, text: string): ApiDocumentError {
    return this.#document.file.error(place, text);
  }

  /** The check of a schema. @throws ApiDocumentError for one that is not valid */
  compile(place: Place): SchemaCheck {
    this.#checkSchema(place);
    const pointer = place.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1')));
    const check = this.#at(place, () => this.#ajv.compile({ $ref: `document#/${pointer.join('/')}` }));
    // Of alternatives that all failed, the last error is about all of them.
    return (value) => (check(value) ? undefined : check.errors?.at(-1));
  }

  /** @throws ApiDocumentError for what is no schema (JSON Schema 2020-12) */
  #checkSchema(place: Place): void {
    const schema = contentAt(this.#document.content, place);
    const isValid = this.#at(place, () => this.#ajv.validateSchema(schema as object));
    if (isValid === true) return;
    const [error] = this.#ajv.errors ?? [];
    throw this.error([...place, ...placeOf(error?.instancePath ?? '')], error?.message ?? 'is no schema');
  }

  /** Gives an error of the library its place. */
  #at<T>(place: Place, run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw this.error(place, error instanceof Error ? error.message : 'is no schema');
    }
  }
}

const load = createRequire(import.meta.url);

/** The library, which is loaded only where a document needs it: 14 MB and a tenth of a second. */
function createAjv(): Ajv2020 {
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const formats = load('ajv-formats') as typeof import('ajv-formats');
  // Names such as `constructor` are in an object only where it has them itself.
  const ajv = new Ajv2020({ strict: false, logger: false, verbose: true, ownProperties: true });
  formats.default(ajv);
  // Its own pattern takes quadratic time.
  ajv.addFormat('url', ajv.formats.uri ?? true);
  // The library compares each entry with each: seconds for 64 kB.
  ajv.removeKeyword('uniqueItems');
  return ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (isAsked: boolean, items: unknown[]) =>
      !isAsked || new Set(items.map(canonical)).size === items.length,
  });
}

/** A text that values share that are equal in JSON. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
