import type { Schema } from './dashboard-document.ts';

/** A value that a schema allows, with nothing that it does not require. Good enough to be read, not to be accepted. */
export function sampleOf(schema: Schema, resolve: (reference: string) => Schema): unknown {
  if (schema.$ref !== undefined) return sampleOf(resolve(schema.$ref), resolve);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return sampleOf(schema.anyOf[0], resolve);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, sampleOf(schema.properties?.[name] ?? {}, resolve)]),
      );
    case 'array':
      return schema.items === undefined ? [] : [sampleOf(schema.items, resolve)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return 1;
    default:
      return schema.format === 'date-time' ? '2999-01-01T00:00:00Z' : 'sample';
  }
}
