import { AppError } from '@platform/service-kit/app-error.ts';
import { echo, HttpError } from '@platform/service-kit/http/errors.ts';
import express, { type Request } from 'express';
import type { z } from 'zod';
import { type Attempt, countAttempts, type Throttle } from '../../platform/throttle.ts';
import { queryOf } from '../input.ts';
import { tooManyAttempts } from '../pages.ts';
import { noBody } from './spec.ts';

/** Faults that one answer names, and how long a text about one may get. */
const maxFaults = 20;

const maxLength = 300;

/** Input that is not in its type. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  /** What is wrong with each field, for the person who filled it in. */
  readonly fields: Readonly<Record<string, string>>;
  /** Stable snake_case word. */
  readonly reason: string;

  constructor(fields: Readonly<Record<string, string>>, reason = 'invalid_input') {
    super(Object.keys(fields).length === 1 ? 'A field is not right.' : 'Some fields are not right.');
    this.fields = fields;
    this.reason = reason;
  }
}

/** Input in its exact type. @throws InvalidInput */
function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new InvalidInput(faultsOf(parsed.error));
}

/** The first fault of each field. Fields that do not belong there are faults of their own. */
function faultsOf({ issues }: z.ZodError): Record<string, string> {
  const faults = issues.flatMap((issue): [string, string][] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [key, 'does not belong here'])
      : [[issue.path.join('.'), issue.message]],
  );
  const short = faults.map(([field, text]) => [echo(field), text.slice(0, maxLength)] as const);
  return Object.fromEntries(short.slice(0, maxFaults).reverse());
}

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

/** The query in its exact type. @throws InvalidInput, also when a parameter comes twice or is unknown */
export function readQuery<Schema extends z.ZodType>(schema: Schema, req: Request): z.output<Schema> {
  const pairs = [...queryOf(req)];
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) throw new InvalidInput({ [echo(twice)]: 'is given twice' });
  return parseInput(schema, Object.fromEntries(pairs));
}

/**
 * Does `work`. Where it is refused for something that stands in one field, the answer names that field, so that a form
 * can say so in its place.
 * @param fieldOf field by the reason of the refusal
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

/** A call that may be repeated later. */
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
