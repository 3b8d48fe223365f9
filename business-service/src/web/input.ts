import { AppError } from '@platform/service-kit/app-error.ts';
import { jsonReader, readParameters } from '@platform/service-kit/http/input.ts';
import { parseInput } from '@platform/service-kit/validation.ts';
import type { Request } from 'express';
import type { z } from 'zod';

const reason = 'invalid_input';

const options = { limit: '256kb', inflate: true };

const readJson = jsonReader(options);

/** Media types of a change (RFC 7396). */
export const patchTypes = ['application/json', 'application/merge-patch+json'] as const;

const readPatchJson = jsonReader({ ...options, accepts: patchTypes });

/**
 * A JSON body in its exact type.
 * @throws HttpError 400 malformed, 415 another media type or charset; the parser's errors: 413 larger than 256 kB, 415 encoding
 * @throws AppError `invalid_argument` that names the invalid fields
 */
export async function readBody<T extends z.ZodType>(schema: T, req: Request): Promise<z.output<T>> {
  return parseJson(schema, await readJson(req));
}

/** The same for the body of a PATCH. */
export async function readPatch<T extends z.ZodType>(schema: T, req: Request): Promise<z.output<T>> {
  return parseJson(schema, await readPatchJson(req));
}

function parseJson<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  if (body === undefined) throw new AppError('invalid_argument', 'no_body', 'a JSON body is required');
  return parseInput(schema, body, reason);
}

/**
 * Query parameters in their exact types; empty ones are absent.
 * @throws HttpError 400 for a duplicated one
 * @throws AppError `invalid_argument` for unknown and malformed ones
 */
export function readQuery<T extends z.ZodType>(schema: T, req: Request): z.output<T> {
  return parseInput(schema, readParameters(req), reason);
}
