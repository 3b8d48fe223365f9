import type { LoadedDocument } from '@platform/service-kit/api/api.ts';
import { contentAt, isObject, placeOf } from './place.ts';

/**
 * Finds components that lead back to themselves with no part of the value between, so that a check would never end. Schemas
 * of trees, whose branches are parts, do end.
 * @throws ApiDocumentError
 */
export function checkEnds({ file, content }: LoadedDocument): void {
  const ended = new Set<string>();
  const follow = (reference: string, before: readonly string[]) => {
    if (ended.has(reference)) return;
    if (before.includes(reference)) throw file.error(placeOf(reference), 'leads back to itself');
    for (const next of referencesFrom(contentAt(content, placeOf(reference))))
      follow(next, [...before, reference]);
    ended.add(reference);
  };
  for (const [kind, components] of Object.entries(content.components)) {
    for (const name of Object.keys(components as object)) follow(`#/components/${kind}/${name}`, []);
  }
}

/** References to what is applied to the same value. */
function referencesFrom(part: unknown): string[] {
  if (!isObject(part)) return [];
  const { $ref, allOf, anyOf, oneOf, not, if: condition, then, else: otherwise, dependentSchemas } = part;
  const dependent = isObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
  const inner = [allOf, anyOf, oneOf, not, condition, then, otherwise, dependent].flat();
  return [...(typeof $ref === 'string' ? [$ref] : []), ...inner.flatMap(referencesFrom)];
}
