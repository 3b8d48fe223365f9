import { readFileSync } from 'node:fs';
import { EVENT_ID, type Event, getScalarValue, load, parseEvents, YAMLException } from 'js-yaml';

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
  const text = textOf(file);
  return {
    file,
    content: contentOf(file, text),
    error: (place, problem) => {
      const line = text.slice(0, offsetOf(text, place)).split('\n').length;
      const where = place.length === 0 ? '' : `${place.join('.')}: `;
      return new ApiDocumentError(`${file}:${line}: ${where}${problem}`);
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

/** JSON is YAML. */
function contentOf(file: string, text: string): unknown {
  try {
    return load(text);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    throw new ApiDocumentError(`${file}:${(error.mark?.line ?? 0) + 1}: ${error.reason}`);
  }
}

/** Where the deepest part of a place begins that the text has. Read again for an error alone: events know their offsets. */
function offsetOf(text: string, place: Place): number {
  const events = parseEvents(text, {});
  let offset = 0;
  // The first event is the document's.
  let node = 1;
  for (const key of place) {
    const entry = entryOf(events, node, text, key);
    if (entry === undefined) break;
    offset = startOf(events[entry.at]);
    node = entry.value;
  }
  return offset;
}

/** Events of an entry of a mapping or a sequence: at which it begins, and at which its value does. */
function entryOf(events: readonly Event[], node: number, text: string, key: string) {
  const isMapping = events[node]?.type === EVENT_ID.MAPPING;
  if (!isMapping && events[node]?.type !== EVENT_ID.SEQUENCE) return undefined;
  let at = node + 1;
  for (let index = 0; events[at]?.type !== EVENT_ID.POP; index++) {
    const value = isMapping ? afterNode(events, at) : at;
    const event = events[at];
    const name = isMapping && event?.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : String(index);
    if (name === key) return { at, value };
    at = afterNode(events, value);
  }
  return undefined;
}

/** The event behind a node with all that is in it. */
function afterNode(events: readonly Event[], node: number): number {
  let depth = 0;
  for (let at = node; ; at++) {
    const type = events[at]?.type;
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++;
    if (type === EVENT_ID.POP) depth--;
    if (depth <= 0) return at + 1;
  }
}

function startOf(event: Event | undefined): number {
  if (event === undefined) return 0;
  if ('valueStart' in event) return event.valueStart;
  return 'start' in event ? event.start : 0;
}
