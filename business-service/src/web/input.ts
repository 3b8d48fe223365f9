import { AppError } from '@platform/service-kit/app-error.ts';
import { echo, HttpError } from '@platform/service-kit/http/errors.ts';
import express, { type Request } from 'express';
import type { z } from 'zod';

/** Faults that one answer names, and how long its text may get: names of unknown fields are the caller's words. */
const maxFaults = 5;

const maxLength = 500;

/** Input in its exact type. @throws AppError `invalid_argument` that names the fields at fault */
export function readInput<T extends z.ZodType>(schema: T, input: unknown): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new AppError('invalid_argument', 'invalid_input', describeFaults(parsed.error));
}

/** `line_items[0].quantity: must be a whole number; …` */
function describeFaults({ issues }: z.ZodError): string {
  const faults = issues.slice(0, maxFaults).map((issue) => {
    const field = fieldName(issue.path);
    const text = issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : issue.message;
    return field === '' ? text : `${field}: ${text}`;
  });
  return faults.join('; ').slice(0, maxLength);
}

/** As zod words it, with names of bearable length. */
function unknownFields(names: readonly string[]): string {
  const quoted = names.slice(0, maxFaults).map((name) => `"${echo(name)}"`);
  return `Unrecognized key${names.length === 1 ? '' : 's'}: ${quoted.join(', ')}`;
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${echo(String(part))}`))
    .join('');
}

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
