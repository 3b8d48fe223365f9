import type { InvalidReason } from '@platform/protos/vocabulary';
import type { Operation } from '@platform/service-kit/api/api.ts';
import type { Place } from '@platform/service-kit/api/document.ts';
import { queryOf } from '@platform/service-kit/http/input.ts';
import { echo } from '@platform/service-kit/input/path-text.ts';
import type { Request } from 'express';
import { z } from 'zod';
import type { DocumentSchemas, Part, SchemaCheck } from './document-schemas.ts';
import type { Invalid } from './invalid.ts';
import { type Violation, violationOf } from './violation.ts';

/** What is read of a parameter of OpenAPI. */
const parameterObject = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header'], 'is not checked by x-validate: only path, query and header are'),
  required: z.boolean().default(false),
  style: z.enum(['form', 'simple'], 'is not checked by x-validate: only form and simple are').optional(),
  explode: z.boolean().default(true),
  schema: z.union([z.boolean(), z.looseObject({})], 'is missing, and x-validate needs it'),
});

type Parameter = z.output<typeof parameterObject>;

interface ParameterRule extends Parameter {
  readonly isList: boolean;
  readonly check: SchemaCheck;
}

const reasons: Readonly<Record<Parameter['in'], InvalidReason>> = {
  path: 'invalid_path',
  query: 'invalid_query',
  header: 'invalid_header',
};

/** Headers that OpenAPI describes elsewhere (section 4.8.12.1). */
const otherHeaders: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type']);

/**
 * Creates the check of an operation's parameters. Parameters of the query that the document does not have are refused.
 * @throws ApiDocumentError for a parameter that it cannot read
 */
export function createParametersCheck(
  operation: Operation,
  schemas: DocumentSchemas,
): (req: Request) => Invalid | undefined {
  const rules = rulesOf(operation, schemas);
  const known = new Set(rules.filter((rule) => rule.in === 'query').map(({ name }) => name));
  const segments = operation.path.split('/');
  return (req) => {
    const query = queryOf({ originalUrl: req.url });
    const unknown = [...query.keys()].find((name) => !known.has(name));
    if (unknown !== undefined) {
      const field = echo(unknown);
      return { reason: 'invalid_query', field, text: `unknown parameter "${field}"` };
    }
    const sent = req.exchange.path.split('/');
    const textsOf = (rule: ParameterRule): readonly string[] => {
      if (rule.in === 'query') return query.getAll(rule.name);
      if (rule.in === 'header') return [req.headers[rule.name.toLowerCase()] ?? []].flat();
      return [sent[segments.indexOf(`{${rule.name}}`)] ?? []].flat();
    };
    for (const rule of rules) {
      const violation = violationIn(rule, textsOf(rule));
      if (violation !== undefined) return { reason: reasons[rule.in], ...violation };
    }
    return undefined;
  };
}

function rulesOf({ place, pathParameters, definition }: Operation, schemas: DocumentSchemas): ParameterRule[] {
  const placesOf = (parent: Place, list: readonly unknown[]) =>
    list.map((_, index) => [...parent, 'parameters', String(index)]);
  const places = [
    ...placesOf(place.slice(0, 2), pathParameters),
    ...placesOf(place, definition.parameters),
  ];
  const rules = places.flatMap((at) => ruleAt(at, schemas));
  // Those of the operation go before those of its path.
  return [...new Map(rules.map((rule) => [`${rule.in} ${rule.name}`, rule])).values()];
}

function ruleAt(at: Place, schemas: DocumentSchemas): ParameterRule | [] {
  const part = schemas.part(at);
  const parsed = parameterObject.safeParse(part?.content);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw schemas.error([...at, ...(issue?.path.map(String) ?? [])], issue?.message ?? 'is no parameter');
  }
  const parameter = parsed.data;
  if (parameter.in === 'header' && otherHeaders.has(parameter.name.toLowerCase())) return [];
  const schemaPlace = [...(part?.place ?? at), 'schema'];
  if (hasType(schemas, schemaPlace, 'object')) {
    throw schemas.error(schemaPlace, 'is not checked by x-validate: parameters are texts or lists');
  }
  const isList = hasType(schemas, schemaPlace, 'array');
  return { ...parameter, isList, check: schemas.compile(schemaPlace) };
}

/** Whether a schema accepts a type, also among alternatives. */
function hasType(schemas: DocumentSchemas, place: Place, type: string): boolean {
  const part: Part | undefined = schemas.part(place);
  if (part === undefined) return false;
  const { type: types = [], anyOf = [], oneOf = [] } = part.content;
  if ([types].flat().includes(type)) return true;
  return Object.entries({ anyOf, oneOf }).some(([name, list]) =>
    [list].flat().some((_, index) => hasType(schemas, [...part.place, name, String(index)], type)),
  );
}

function violationIn(rule: ParameterRule, texts: readonly string[]): Violation | undefined {
  const { name, isList } = rule;
  const because = (problem: string) => ({ field: name, text: `${name}: ${problem}` });
  const [first, second] = texts;
  if (first === undefined) return rule.required ? because('is required') : undefined;
  if (!isList) return second === undefined ? violationOfValue(rule, first, spelled(first)) : because('is given twice');
  const isOneText = rule.in !== 'query' || !rule.explode;
  const items = isOneText ? first.split(',') : texts;
  return violationOfValue(rule, items, items.map(spelled));
}

/** A text is accepted as itself, or as the number or truth value that it spells. */
function violationOfValue({ name, check }: ParameterRule, text: unknown, value: unknown): Violation | undefined {
  const asText = check(text);
  const asValue = asText && check(value);
  if (asText === undefined || asValue === undefined) return undefined;
  return asText.keyword === 'type' ? violationOf(asValue, value, [name]) : violationOf(asText, text, [name]);
}

const literal = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** The value of a text that is a number or truth value of JSON; other texts as they are. */
const spelled = (text: string): unknown => (literal.test(text) ? JSON.parse(text) : text);
