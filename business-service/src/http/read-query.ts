import { AppError } from '@platform/service-kit/app-error.ts';
import { echo } from '@platform/service-kit/echo.ts';
import type { Request } from 'express';
import type { z } from 'zod';
import { readInput } from './read-input.ts';

/**
 * Query parameters in their exact types.
 * @throws AppError `invalid_argument` for unknown, duplicated and malformed ones
 */
export function readQuery<T extends z.ZodType>(schema: T, req: Request): z.output<T> {
  const mark = req.url.indexOf('?');
  const parameters = new URLSearchParams(mark < 0 ? '' : req.url.slice(mark));
  const names = [...parameters.keys()];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    throw new AppError('invalid_argument', 'duplicated_parameter', `${echo(twice)}: is given twice`);
  }
  return readInput(schema, Object.fromEntries(parameters));
}
