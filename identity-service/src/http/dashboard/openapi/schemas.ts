import { z } from 'zod';

export type Json = Readonly<Record<string, unknown>>;

/** Writes schemas in JSON Schema, and collects those that have a name (`.meta({ id })`) so that each is written once. */
export function collectSchemas() {
  const named = new Map<string, Json>();
  return {
    jsonOf(schema: z.ZodType, io: 'input' | 'output'): Json {
      const { $schema, $defs = {}, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
      for (const [name, definition] of Object.entries($defs)) named.set(name, pointToComponents(definition));
      return pointToComponents(json);
    },
    /** Every named schema that was met, by name. */
    components: (): Json => Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function pointToComponents(json: object): Json {
  return JSON.parse(JSON.stringify(json).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
