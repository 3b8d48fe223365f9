import { HttpError, toHttpError } from '@platform/service-kit/http/errors.ts';
import { jsonReader, parseBody, readParameters } from '@platform/service-kit/http/input.ts';
import { mediaTypeOf } from '@platform/service-kit/http/media-type.ts';
import { echo } from '@platform/service-kit/input/path-text.ts';
import { issueText } from '@platform/service-kit/input/validation.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import express, { type Request } from 'express';
import type { z } from 'zod';
import { type Attempt, countAttempts, type Throttle } from '../../platform/throttle.ts';
import { incorrectPasswordText } from '../input.ts';
import { tooManyAttempts } from '../pages.ts';
import { noBody, type Upload } from './spec.ts';

/** Fields that one response names, and the length of each text. */
const maxFields = 20;

const maxLength = 300;

/** Input that does not match its schema. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  /** An error text for each invalid field, shown beside it. */
  readonly fields: Readonly<Record<string, string>>;
  /** Stable snake_case code. */
  readonly reason: string;

  constructor(fields: Readonly<Record<string, string>>, reason = 'invalid_input') {
    super('Check the highlighted fields.');
    this.fields = fields;
    this.reason = reason;
  }
}

/** Input in its exact type. @throws InvalidInput */
export function parseFields<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { error: issueText });
  if (!parsed.success) throw new InvalidInput(fieldErrors(parsed.error));
  return parsed.data;
}

/** The first error of each field, unknown ones included. */
function fieldErrors({ issues }: z.ZodError): Record<string, string> {
  const errors = issues.flatMap((issue): [string, string][] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [key, 'does not belong here'])
      : [[issue.path.join('.'), issue.message]],
  );
  const short = errors.map(([field, text]) => [echo(field), text.slice(0, maxLength)] as const);
  return Object.fromEntries(short.slice(0, maxFields).reverse());
}

const readJson = jsonReader({ limit: '64kb', inflate: false });

/**
 * A JSON body in its exact type; undefined for `noBody`.
 * @throws HttpError 400, 415, or the parser's errors: 413 beyond 64 kB, 415
 * @throws InvalidInput that names the invalid fields
 */
export async function readBody<Schema extends z.ZodType>(
  schema: Schema,
  req: Request,
): Promise<z.output<Schema>> {
  if (Object.is(schema, noBody)) return parseFields(schema, undefined);
  const body = await readJson(req);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidInput({ '': 'must be a JSON object' });
  }
  return parseFields(schema, body);
}

/** A file in a request, as it is. @throws HttpError 413, 415, or the parser's 400 */
export async function readUpload<Schema extends z.ZodType>(
  schema: Schema,
  { mediaTypes, maxBytes }: Upload,
  req: Request,
): Promise<z.output<Schema>> {
  mediaTypeOf(req.headers['content-type'], mediaTypes);
  const parser = express.raw({ limit: maxBytes, inflate: false, type: () => true });
  const read = await parseBody(parser, req).catch((error: unknown) => {
    if (toHttpError(error, { 413: '' })?.status !== 413) throw error;
    throw new HttpError(413, `The file is larger than ${maxBytes / 1_000_000} MB.`);
  });
  return parseFields(schema, read instanceof Buffer ? read : Buffer.alloc(0));
}

/** The query in its exact type; empty parameters are absent. @throws InvalidInput for an unknown one, FieldError for a duplicate */
export function readQuery<Schema extends z.ZodType>(schema: Schema, req: Request): z.output<Schema> {
  return parseFields(schema, readParameters(req));
}

/**
 * The result of `work`; an AppError about one field becomes an InvalidInput, so that a form shows it beside that field.
 * @param fieldOf field by the reason of the AppError
 * @throws InvalidInput and everything that `work` throws
 */
export async function withFields<T>(
  fieldOf: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const field = error instanceof AppError ? fieldOf[error.reason] : undefined;
    if (!(error instanceof AppError) || field === undefined) throw error;
    throw new InvalidInput({ [field]: error.message }, error.reason);
  }
}

/** 429 of the dashboard API. */
export class TooManyAttempts extends HttpError {
  readonly retryAfterSeconds: number;

  constructor(retryAfterSeconds: number) {
    super(429, tooManyAttempts(retryAfterSeconds));
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Counts an attempt. @throws TooManyAttempts */
export async function checkAttempts(throttle: Throttle, attempts: readonly Attempt[]): Promise<void> {
  const refusal = await countAttempts(throttle, attempts);
  if (refusal !== undefined) throw new TooManyAttempts(refusal.retryAfterSeconds);
}

/** Error of a wrong password. */
export function incorrectPassword(): InvalidInput {
  return new InvalidInput({ password: incorrectPasswordText }, 'wrong_password');
}
