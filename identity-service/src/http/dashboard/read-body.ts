import { HttpError } from '@platform/service-kit/http-error.ts';
import express, { type Request } from 'express';
import type { z } from 'zod';
import { InvalidInput, parseInput } from './invalid-input.ts';
import { noBody } from './spec.ts';

const parseJson = express.json({ limit: '64kb', inflate: false, type: () => true });
const jsonType = /^application\/json[ \t]*(;[ \t]*charset=[^;]+)?$/i;

/**
 * A JSON body in its exact type; undefined where there is to be none.
 * @throws HttpError 415; what the parser says: 400, 413 beyond 64 kB, 415
 * @throws InvalidInput that names the fields at fault
 */
export async function readBody<Schema extends z.ZodType>(
  schema: Schema,
  req: Request,
): Promise<z.output<Schema>> {
  if (Object.is(schema, noBody)) return parseInput(schema, undefined);
  if (!jsonType.test(req.headers['content-type'] ?? '')) {
    throw new HttpError(415, 'Content-Type must be application/json.');
  }
  const body = await parse(req);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidInput({ '': 'must be a JSON object' });
  }
  return parseInput(schema, body);
}

async function parse(req: Request): Promise<unknown> {
  const { res } = req;
  if (res === undefined) throw new Error('a request without its response');
  await new Promise<void>((resolve, reject) => {
    parseJson(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return req.body;
}
