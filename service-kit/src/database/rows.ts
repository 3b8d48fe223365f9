import { z } from 'zod';

const list = z.array(z.unknown());

/**
 * Reads the rows of a raw statement. Column types are those of PostgreSQL: `bigint` comes as bigint, `timestamptz` as
 * Date, NULL as null; the schemas below turn them into what the domain uses.
 * @throws ZodError when a row has another shape
 */
export async function readRows<Schema extends z.ZodType>(
  schema: Schema,
  statement: PromiseLike<unknown>,
): Promise<z.output<Schema>[]> {
  return list.parse(await statement).map((row) => schema.parse(row));
}

/** A bigint column, or a count, as a number. */
export const integer = z.bigint().transform(Number);

/** A timestamptz column as milliseconds since 1970. */
export const timestamp = z.date().transform((date) => date.getTime());

/** A bytea column. */
export const bytes = z
  .custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array)
  .transform(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength));

/** A column that may be NULL, which is undefined. */
export function nullable<Schema extends z.ZodType>(column: Schema) {
  return column.nullable().transform((value) => value ?? undefined);
}
