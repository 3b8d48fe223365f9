import type { z } from 'zod';
import { AppError } from '../values/app-error.ts';
import { echo, pathText } from './path-text.ts';

/** Issues that one error text names, and its length: names of unknown fields come from the client. */
const maxIssues = 5;

const maxLength = 500;

/** Input that does not match its schema. */
export class InputError extends AppError {
  /** Name of the first invalid field, with long names cut; empty for the input as a whole. */
  readonly field: string;

  constructor(reason: string, publicText: string, field: string) {
    super('invalid_argument', reason, publicText);
    this.field = field;
  }
}

/**
 * Input in its exact type.
 * @param nameOf spells a field's name as the client does; as in the schema where absent
 * @throws InputError that names the invalid fields: `line_items[0].quantity: must be a whole number; …`
 */
export function parseInput<T extends z.ZodType>(
  schema: T,
  input: unknown,
  reason: string,
  nameOf: (field: string) => string = (field) => field,
): z.output<T> {
  const parsed = schema.safeParse(input, { error: issueText });
  if (parsed.success) return parsed.data;
  const texts = parsed.error.issues.slice(0, maxIssues).map((issue) => {
    const field = nameOf(pathText(issue.path));
    return field === '' ? issue.message : `${field}: ${issue.message}`;
  });
  const [first] = parsed.error.issues;
  const field = first === undefined ? '' : nameOf(pathText(fieldPath(first)));
  throw new InputError(reason, texts.join('; ').slice(0, maxLength), field);
}

/** Path of the field that an issue is about; the issue of an unknown field has the path of its parent. */
function fieldPath(issue: z.core.$ZodIssue): readonly PropertyKey[] {
  return issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path;
}

/** Types in words, by the names that zod has for them. */
const expectations: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  date: 'a date',
  undefined: 'absent',
  never: 'absent',
};

/** The same for formats of texts. */
const formats: Readonly<Record<string, string>> = {
  email: 'an email address',
  url: 'a URL',
  uuid: 'a UUID',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  date: 'a date such as 2026-01-31',
  datetime: 'a time such as 2026-01-31T12:00:00Z',
  json_string: 'JSON',
};

const notAccepted = 'has a value that is not accepted';

/** The text of an issue for which the schema has none, so that the library's own texts never reach clients or operators. */
export const issueText: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${expectations[issue.expected] ?? 'of another type'}`;
    case 'invalid_value':
      return valuesText(issue.values);
    case 'too_small':
    case 'too_big':
      return sizeText(issue);
    case 'invalid_format':
      return issue.format in formats ? `must be ${formats[issue.format]}` : 'is not in the accepted form';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return unknownFields(issue.keys);
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues[0]?.message ?? notAccepted;
    case 'invalid_union':
      return unionText(issue.errors);
    default:
      return notAccepted;
  }
};

function valuesText(values: readonly z.core.util.Primitive[]): string {
  const words = values.map((value) => (value === '' ? 'empty' : String(value)));
  return `must be ${words.length > 1 ? 'one of ' : ''}${words.join(', ')}`;
}

/** Units of what has a size rather than a value. */
const units: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
  object: ['field', 'fields'],
  file: ['byte', 'bytes'],
};

type SizeIssue = z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>;

function sizeText(issue: SizeIssue): string {
  const bound = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  const unit = units[issue.origin];
  if (unit === undefined) {
    const comparison = issue.code === 'too_small' ? ['at least', 'more than'] : ['at most', 'less than'];
    return `must be ${comparison[issue.inclusive === false ? 1 : 0]} ${bound}`;
  }
  if (issue.code === 'too_small' && Number(bound) === 1) return 'must not be empty';
  const comparison = issue.exact ? 'exactly' : issue.code === 'too_small' ? 'at least' : 'at most';
  return `must have ${comparison} ${bound} ${unit[Number(bound) === 1 ? 0 : 1]}`;
}

/** The text of the alternative that the value probably means; otherwise a list of the alternatives. */
function unionText(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string {
  const meant = alternatives.find((issues) =>
    issues.every(
      ({ code, path }) => path.length > 0 || (code !== 'invalid_type' && code !== 'invalid_value'),
    ),
  );
  const [first] = meant ?? [];
  if (first !== undefined) return first.message;
  const texts = alternatives.flatMap((issues) => issues.slice(0, 1).map(({ message }) => message));
  if (texts.length === 0 || !texts.every((text) => text.startsWith('must be ')))
    return texts[0] ?? notAccepted;
  return `must be ${[...new Set(texts.map((text) => text.slice('must be '.length)))].join(' or ')}`;
}

function unknownFields(names: readonly string[]): string {
  const quoted = names.slice(0, maxIssues).map((name) => `"${echo(name)}"`);
  return `unknown field${names.length === 1 ? '' : 's'} ${quoted.join(', ')}`;
}

/** The request of an rpc in its exact type. @throws AppError `invalid_argument` that names fields as the .proto does */
export function parseRequest<T extends z.ZodType>(schema: T, request: unknown): z.output<T> {
  return parseInput(schema, request, 'invalid_request', snakeCase);
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
