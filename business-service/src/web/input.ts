import { AppError } from '@platform/service-kit/app-error.ts';
import { echo } from '@platform/service-kit/http/errors.ts';
import { duplicateOf, jsonReader, queryOf } from '@platform/service-kit/http/input.ts';
import { parseInput } from '@platform/service-kit/validation.ts';
import type { Request } from 'express';
import type { z } from 'zod';

const reason = 'invalid_input';

const readJson = jsonReader({ limit: '256kb', inflate: true });

/**
 * A JSON body in its exact type.
 * @throws HttpError 415, or the parser's errors: 400 malformed, 413 larger than 256 kB, 415 charset or encoding
 * @throws AppError `invalid_argument` that names the invalid fields
 */
export async function readBody<T extends z.ZodType>(schema: T, req: Request): Promise<z.output<T>> {
  const body = await readJson(req);
  if (body === undefined) throw new AppError('invalid_argument', 'no_body', 'a JSON body is required');
  return parseInput(schema, body, reason);
}

/**
 * Query parameters in their exact types.
 * @throws AppError `invalid_argument` for unknown, duplicated and malformed ones
 */
export function readQuery<T extends z.ZodType>(schema: T, req: Request): z.output<T> {
  const query = queryOf(req);
  const duplicate = duplicateOf(query);
  if (duplicate !== undefined) {
    throw new AppError('invalid_argument', 'duplicated_parameter', `${echo(duplicate)}: is given twice`);
  }
  return parseInput(schema, Object.fromEntries(query), reason);
}
