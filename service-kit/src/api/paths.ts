import type { Operation } from './operation.ts';

const literal = /^[A-Za-z0-9._~-]+$/;

const parameter = /^\{[A-Za-z_][A-Za-z0-9_]*\}$/;

/** A path that was checked. */
interface KnownPath {
  readonly operation: Operation;
  readonly segments: readonly string[];
}

/** Paths in which a request can find its one operation. @throws ApiDocumentError */
export function checkPaths(operations: readonly Operation[]): void {
  const known = new Map<string, KnownPath>();
  for (const operation of operations) {
    const { path, document, place } = operation;
    const error = (text: string) => document.file.error(place.slice(0, 2), text);
    const first = known.get(path)?.operation;
    if (first?.document === document) continue;
    if (first !== undefined) throw error(`is a path of ${first.document.file.file}`);
    if (!document.isPlatform && path.startsWith('/v2/oauth/')) throw error("is among the platform's");
    checkTemplate(path, error);
    const one = { operation, segments: segmentsOf(path) };
    const other = [...known.values()].find((earlier) => isAmbiguous(earlier, one))?.operation;
    if (other !== undefined) throw error(`overlaps ${other.path} of ${other.document.file.file}`);
    known.set(path, one);
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
function isAmbiguous(one: KnownPath, other: KnownPath): boolean {
  if (one.segments.length !== other.segments.length) return false;
  let isMoreSpecific = false;
  let isLessSpecific = false;
  for (const [index, segment] of one.segments.entries()) {
    const against = other.segments[index] ?? '';
    const [first, second] = [isParameter(segment), isParameter(against)];
    if (!first && !second && segment !== against) return false;
    if (!first && second) isMoreSpecific = true;
    if (first && !second) isLessSpecific = true;
  }
  if (one.operation.document !== other.operation.document) return true;
  return isMoreSpecific === isLessSpecific;
}
