import { z } from 'zod';

/** A value of YAML. */
export type Value = string | number | boolean | null | Value[] | ValueMap;

export interface ValueMap {
  [key: string]: Value;
}

/** Whether a value has fields. */
export function isMap(value: Value | undefined): value is ValueMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of the API. The fields of its kind are checked by `schema.ts`. */
export interface Manifest extends ValueMap {
  apiVersion: string;
  kind: string;
  metadata: { name: string; [key: string]: Value };
}

const manifest: z.ZodType<Manifest> = z
  .object({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: z.object({ name: z.string() }).catchall(z.json()),
  })
  .catchall(z.json());

/** @throws for a value that is no object of the API, with `place` in the message */
export function toManifest(value: unknown, place: string): Manifest {
  const parsed = manifest.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`${place}: ${z.prettifyError(parsed.error)}`);
}

/** `Deployment gateway`, as errors name an object. */
export const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
