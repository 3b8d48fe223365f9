import type { Operation } from './operation.ts';

const literal = /^[A-Za-z0-9._~-]+$/;

const parameter = /^\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** Paths in which a request can find its one operation. @throws ApiDocumentError */
export function checkPaths(operations: readonly Operation[]): void {
  const firstOf = new Map<string, Operation>();
  for (const operation of operations) {
    const { path, document, place } = operation;
    const error = (text: string) => document.file.error(place.slice(0, 2), text);
    const first = firstOf.get(path);
    if (first?.document === document) continue;
    if (first !== undefined) throw error(`is a path of ${first.document.file.file}`);
    checkTemplate(path, error);
    const other = [...firstOf.values()].find((one) => isAmbiguous(one, operation));
    if (other !== undefined) throw error(`overlaps ${other.path} of ${other.document.file.file}`);
    firstOf.set(path, operation);
  }
}

function checkTemplate(path: string, error: (text: string) => Error): void {
  if (!path.startsWith('/v2/')) throw error('is not below /v2');
  const isUsable = (one: string) => (literal.test(one) && !/^\.+$/.test(one)) || parameter.test(one);
  const broken = segmentsOf(path).find((one) => !isUsable(one));
  if (broken !== undefined) throw error(`${broken || 'an empty segment'} cannot be part of a path`);
}

const segmentsOf = (path: string) => path.slice(1).split('/');

const isParameter = (segment: string) => segment.startsWith('{');

/**
 * Whether a request may match both paths and neither is the more specific one. In one document /customers/search goes before
 * /customers/{id}, as in OpenAPI; a document takes no path from another.
 */
function isAmbiguous(one: Operation, other: Operation): boolean {
  const [a, b] = [segmentsOf(one.path), segmentsOf(other.path)];
  if (a.length !== b.length) return false;
  let isMoreSpecific = false;
  let isLessSpecific = false;
  for (const [index, segment] of a.entries()) {
    const against = b[index] ?? '';
    const [first, second] = [isParameter(segment), isParameter(against)];
    if (!first && !second && segment !== against) return false;
    if (!first && second) isMoreSpecific = true;
    if (first && !second) isLessSpecific = true;
  }
  if (one.document !== other.document) return true;
  return isMoreSpecific === isLessSpecific;
}
