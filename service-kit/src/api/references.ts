import type { ApiFile, Place } from './document.ts';

/** Finds references that do not lead to a component of their document. @throws ApiDocumentError */
export function checkReferences(file: ApiFile): void {
  checkPart(file, file.content, []);
}

function checkPart(file: ApiFile, part: unknown, place: Place): void {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (key === '$ref' && typeof value === 'string' && !isComponent(file.content, value))
      throw file.error([...place, key], `${value} is no component of this document`);
    checkPart(file, value, [...place, key]);
  }
}

function isComponent(content: unknown, reference: string): boolean {
  const [, kind = '', name = ''] = /^#\/components\/(\w+)\/([\w.-]+)$/.exec(reference) ?? [];
  const { components = {} } = content as { components?: Readonly<Record<string, object>> };
  return Object.hasOwn(components[kind] ?? {}, name);
}
