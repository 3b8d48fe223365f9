import { readFileSync } from 'node:fs';
import { type Document, isCollection, isMap, isPair, LineCounter, parseDocument } from 'yaml';

/** Keys that lead to a place in a document, such as `paths`, `/v2/invoices`, `get`. */
export type Place = readonly string[];

/** A document that cannot be used, with file and line: `api/invoices.yaml:12: paths./v2/invoices.get: names no security`. */
export class ApiDocumentError extends Error {
  override readonly name = 'ApiDocumentError';
}

/** A file of OpenAPI in YAML or JSON. */
export interface ApiFile {
  readonly file: string;
  readonly content: unknown;
  /** An error at a place of the file. */
  error(place: Place, text: string): ApiDocumentError;
}

/** @throws ApiDocumentError when the file cannot be read, or is not YAML */
export function readApiFile(file: string): ApiFile {
  const lines = new LineCounter();
  const document = parseDocument(textOf(file), { lineCounter: lines, strict: true, uniqueKeys: true });
  const [broken] = [...document.errors, ...document.warnings];
  const lineAt = (offset: number) => lines.linePos(offset).line;
  if (broken !== undefined) {
    const [summary = ''] = broken.message.split(/ at line|\n/, 1);
    throw new ApiDocumentError(`${file}:${lineAt(broken.pos[0])}: ${summary}`);
  }
  return {
    file,
    content: document.toJS({ maxAliasCount: 100 }),
    error: (place, text) => {
      const where = place.length === 0 ? '' : `${place.join('.')}: `;
      return new ApiDocumentError(`${file}:${lineAt(offsetOf(document, place))}: ${where}${text}`);
    },
  };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ApiDocumentError(`${file}: cannot be read (${error instanceof Error ? error.message : error})`);
  }
}

/** Where the deepest part of a place begins that the document has. */
function offsetOf(document: Document.Parsed, place: Place): number {
  let offset = 0;
  let node: unknown = document.contents;
  for (const key of place) {
    if (!isCollection(node)) break;
    const item = isMap(node) ? node.items.find((pair) => String(pair.key) === key) : node.items[Number(key)];
    if (item === undefined) break;
    const [at, next] = isPair(item) ? [item.key, item.value] : [item, item];
    offset = (at as { range?: readonly number[] }).range?.[0] ?? offset;
    node = next;
  }
  return offset;
}
