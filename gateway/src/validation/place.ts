import type { Place } from '@platform/service-kit/api/document.ts';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The part at a place; undefined where there is none. */
export function contentAt(content: unknown, place: Place): unknown {
  let found = content;
  for (const key of place) found = (found as Record<string, unknown> | undefined)?.[key];
  return found;
}

/** The place that a JSON pointer (RFC 6901) leads to, with or without `#` before it. */
export const placeOf = (pointer: string): Place =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
