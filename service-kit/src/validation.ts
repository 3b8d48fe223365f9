import type { z } from 'zod';
import { AppError } from './app-error.ts';
import { echo } from './http/errors.ts';

/** Issues that one error text names, and its length: names of unknown fields come from the client. */
const maxIssues = 5;

const maxLength = 500;

/**
 * Input in its exact type.
 * @param nameOf spells a field's name as the client does; as in the schema where absent
 * @throws AppError `invalid_argument` that names the invalid fields: `line_items[0].quantity: must be a whole number; …`
 */
export function parseInput<T extends z.ZodType>(
  schema: T,
  input: unknown,
  reason: string,
  nameOf: (field: string) => string = (field) => field,
): z.output<T> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const texts = parsed.error.issues.slice(0, maxIssues).map((issue) => {
    const field = nameOf(pathText(issue.path));
    const text = issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : issue.message;
    return field === '' ? text : `${field}: ${text}`;
  });
  throw new AppError('invalid_argument', reason, texts.join('; ').slice(0, maxLength));
}

/** zod's text, with each name cut. */
function unknownFields(names: readonly string[]): string {
  const quoted = names.slice(0, maxIssues).map((name) => `"${echo(name)}"`);
  return `Unrecognized key${names.length === 1 ? '' : 's'}: ${quoted.join(', ')}`;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${echo(String(part))}`))
    .join('');
}

/** The request of an rpc in its exact type. @throws AppError `invalid_argument` that names fields as the .proto does */
export function parseRequest<T extends z.ZodType>(schema: T, request: unknown): z.output<T> {
  return parseInput(schema, request, 'invalid_request', snakeCase);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
