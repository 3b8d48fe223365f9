import { AppError } from '@platform/service-kit/app-error.ts';
import { HttpError } from '@platform/service-kit/http-error.ts';
import express, { type Request } from 'express';
import type { z } from 'zod';
import { readInput } from './read-input.ts';

const parseJson = express.json({ limit: '256kb', type: () => true });

/** `application/json`, with no parameter but a charset, which the parser checks. */
const jsonType = /^application\/json[ \t]*(;[ \t]*charset=[^;]+)?$/i;

/**
 * A JSON body in its exact type.
 * @throws HttpError 415, or what the parser says: 400 malformed, 413 larger than 256 kB, 415 charset or encoding
 * @throws AppError `invalid_argument` that names the fields at fault
 */
export async function readBody<T extends z.ZodType>(schema: T, req: Request): Promise<z.output<T>> {
  if (!jsonType.test(req.headers['content-type'] ?? '')) {
    throw new HttpError(415, 'Content-Type must be application/json');
  }
  const body = await parse(req);
  if (body === undefined) throw new AppError('invalid_argument', 'no_body', 'a JSON body is required');
  return readInput(schema, body);
}

async function parse(req: Request): Promise<unknown> {
  const { res } = req;
  if (res === undefined) throw new Error('a request without its response');
  await new Promise<void>((resolve, reject) => {
    parseJson(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return req.body;
}
