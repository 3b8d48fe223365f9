import { pathText } from '@platform/service-kit/input/path-text.ts';
import { issueText } from '@platform/service-kit/input/validation.ts';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { placeOf } from './place.ts';

/** Why a value is not accepted. */
export interface Violation {
  /** Path of the field, as `line_items[0].name`; empty for the value as a whole. */
  readonly field: string;
  /** For people, with the field. */
  readonly text: string;
}

/**
 * Names an error of a schema in the words of the platform's own services.
 * @param value that was checked
 * @param names of the value itself, in front of those in it
 */
export function violationOf(error: ErrorObject, value: unknown, names: readonly string[] = []): Violation {
  const path = [...names, ...pathOf(error.instancePath, value)];
  const name = nameOf(error);
  const at = error.params.missingProperty === undefined ? path : [...path, ...name];
  const text = String(issueText(issueOf(error)));
  return {
    field: pathText([...path, ...name]),
    text: at.length === 0 ? text : `${pathText(at)}: ${text}`,
  };
}

/** Name of a field that is missing or unknown: the path of its error is that of its parent. */
function nameOf({ params }: ErrorObject): string[] {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = params;
  return [missingProperty ?? additionalProperty ?? unevaluatedProperty ?? propertyName ?? []].flat();
}

/** Keys of a JSON pointer; indices of arrays are numbers. */
function pathOf(pointer: string, value: unknown): (string | number)[] {
  let parent = value;
  return placeOf(pointer).map((key) => {
    const isIndex = Array.isArray(parent);
    parent = (parent as Record<string, unknown>)[key];
    return isIndex ? Number(key) : key;
  });
}

type Issue = Parameters<typeof issueText>[0];

/** The error as zod would report it, for the one list of texts. */
function issueOf({ keyword, params, data: input }: ErrorObject): Issue {
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return { code: 'invalid_type', expected: 'nonoptional', input: undefined };
    case 'type':
      return typeIssue([params.type].flat(), input);
    case 'enum':
    case 'const':
      return { code: 'invalid_value', values: params.allowedValues ?? [params.allowedValue], input };
    case 'multipleOf':
      return { code: 'not_multiple_of', divisor: params.multipleOf, input: Number(input) };
    case 'pattern':
    case 'format':
      return {
        code: 'invalid_format',
        format: formats[params.format] ?? params.format,
        input: String(input),
      };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return {
        code: 'unrecognized_keys',
        keys: [params.additionalProperty ?? params.unevaluatedProperty],
        input: {},
      };
    default:
      return sizeIssue(keyword, params.limit, input) ?? { code: 'custom', input };
  }
}

/** Formats that zod names in another way. */
const formats: Readonly<Record<string, string>> = { 'date-time': 'datetime', uri: 'url' };

function typeIssue(types: readonly string[], input: unknown): Issue {
  const issues = types.map((type) => {
    const expected = type === 'integer' ? 'int' : type;
    return { code: 'invalid_type', expected, input } as const;
  });
  const [first] = issues;
  if (first !== undefined && issues.length === 1) return first;
  const errors = issues.map((issue) => [{ ...issue, path: [], message: String(issueText(issue)) }]);
  return { code: 'invalid_union', errors, input };
}

const origins: Readonly<Record<string, string>> = { Length: 'string', Items: 'array', Properties: 'object' };

/** Of `minLength`, `maxItems`, `exclusiveMinimum` and the like. */
function sizeIssue(keyword: string, limit: number, input: unknown): Issue | undefined {
  const [, exclusive, bound, of = ''] =
    /^(exclusive)?([mM](?:in|ax))(?:imum|(Length|Items|Properties))$/.exec(keyword) ?? [];
  if (bound === undefined) return undefined;
  const shared = { origin: origins[of] ?? 'number', inclusive: exclusive === undefined, input };
  return bound.toLowerCase() === 'min'
    ? { ...shared, code: 'too_small', minimum: limit }
    : { ...shared, code: 'too_big', maximum: limit };
}
