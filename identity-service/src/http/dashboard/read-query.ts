import { echo } from '@platform/service-kit/echo.ts';
import type { Request } from 'express';
import type { z } from 'zod';
import { queryOf } from '../read-query.ts';
import { InvalidInput, parseInput } from './invalid-input.ts';

/** The query in its exact type. @throws InvalidInput, also when a parameter comes twice or is unknown */
export function readQuery<Schema extends z.ZodType>(schema: Schema, req: Request): z.output<Schema> {
  const pairs = [...queryOf(req)];
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new InvalidInput({ [echo(twice)]: 'is given twice' });
  return parseInput(schema, Object.fromEntries(pairs));
}
