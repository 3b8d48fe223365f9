import type { InvalidReason } from '@platform/protos/vocabulary';
import type { Operation } from '@platform/service-kit/api/api.ts';
import type { Place } from '@platform/service-kit/api/document.ts';
import { queryOf } from '@platform/service-kit/http/input.ts';
import { echo } from '@platform/service-kit/input/path-text.ts';
import type { Request } from 'express';
import { z } from 'zod';
import { forwardedHeader, isStripped } from '../forwarding/request-headers.ts';
import type { DocumentSchemas, SchemaCheck } from './document-schemas.ts';
import { invalid, type RequestCheck } from './invalid.ts';
import { type Violation, violationOf } from './violation.ts';

/** The parts that are read of a parameter. */
const parameterObject = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header'], 'is not checked by x-validate: only path, query and header are'),
  required: z.boolean().default(false),
  style: z.enum(['form', 'simple'], 'is not checked by x-validate: only form and simple are').optional(),
  explode: z.boolean().default(true),
  schema: z.looseObject({}, 'is missing, and x-validate needs it'),
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
export function createParametersCheck(operation: Operation, schemas: DocumentSchemas): RequestCheck {
  const rules = rulesOf(operation, schemas);
  const known = new Set(rules.filter((rule) => rule.in === 'query').map(({ name }) => name));
  const segments = operation.path.split('/');
  return (req) => {
    const query = queryOf({ originalUrl: req.url });
    const unknown = [...query.keys()].find((name) => !known.has(name));
    if (unknown !== undefined) {
      const name = echo(unknown);
      return invalid('invalid_query', name, `unknown parameter "${name}"`);
    }
    for (const rule of rules) {
      const violation = violationIn(rule, textsOf(rule, req, { query, segments }));
      if (violation !== undefined) return invalid(reasons[rule.in], violation.field, violation.text);
    }
    return undefined;
  };
}

function rulesOf(
  { place, pathParameters, definition, path }: Operation,
  schemas: DocumentSchemas,
): ParameterRule[] {
  const placesOf = (parent: Place, list: readonly unknown[]) =>
    list.map((_, index) => [...parent, 'parameters', String(index)]);
  const places = [...placesOf(place.slice(0, 2), pathParameters), ...placesOf(place, definition.parameters)];
  // Those of the operation go before those of its path.
  const rules = new Map<string, ParameterRule>();
  for (const at of places) {
    const rule = ruleAt(at, schemas);
    if (rule.in === 'header' && otherHeaders.has(rule.name.toLowerCase())) continue;
    if (rule.in === 'header' && isStripped(rule.name.toLowerCase()))
      throw schemas.error(at, 'never arrives: the gateway drops or sets this header');
    if (rule.in === 'path' && !path.includes(`{${rule.name}}`))
      throw schemas.error(at, 'is no part of the path');
    rules.set(`${rule.in} ${rule.name}`, rule);
  }
  return [...rules.values()];
}

function ruleAt(at: Place, schemas: DocumentSchemas): ParameterRule {
  const { content: parameter, place } = schemas.part(at, parameterObject);
  const schemaPlace = [...place, 'schema'];
  const types = typesOf(schemas, schemaPlace);
  if (types.includes('object'))
    throw schemas.error(schemaPlace, 'is not checked by x-validate: parameters are texts or lists');
  return { ...parameter, isList: types.includes('array'), check: schemas.compile(schemaPlace) };
}

const typedSchema = z.object({
  type: z.union([z.string(), z.array(z.string())]).default([]),
  allOf: z.array(z.unknown()).default([]),
  anyOf: z.array(z.unknown()).default([]),
  oneOf: z.array(z.unknown()).default([]),
});

/** Types that a schema names, also in its alternatives. */
function typesOf(schemas: DocumentSchemas, at: Place): string[] {
  const { content, place } = schemas.part(at, typedSchema);
  const { type, ...inner } = content;
  const ofInner = Object.entries(inner).flatMap(([name, list]) =>
    list.flatMap((_, index) => typesOf(schemas, [...place, name, String(index)])),
  );
  return [type, ofInner].flat();
}

interface Target {
  readonly query: URLSearchParams;
  /** Of the operation's path. */
  readonly segments: readonly string[];
}

/** The texts that a request has for a parameter. */
function textsOf(
  rule: ParameterRule,
  { exchange, headers }: Request,
  { query, segments }: Target,
): readonly string[] {
  if (rule.in === 'query') return query.getAll(rule.name);
  if (rule.in === 'header') return [forwardedHeader(headers, rule.name.toLowerCase()) ?? []].flat();
  return [exchange.path.split('/')[segments.indexOf(`{${rule.name}}`)] ?? []].flat();
}

function violationIn(rule: ParameterRule, texts: readonly string[]): Violation | undefined {
  const { name, isList } = rule;
  const because = (problem: string) => ({ field: name, text: `${name}: ${problem}` });
  const [first, second] = texts;
  if (first === undefined) return rule.required ? because('is required') : undefined;
  if (!isList)
    return second === undefined ? violationOfValue(rule, first, spelled(first)) : because('is given twice');
  const items = itemsOf(rule, texts);
  return violationOfValue(rule, items, items.map(spelled));
}

function itemsOf({ in: where, explode }: ParameterRule, texts: readonly string[]): readonly string[] {
  if (where === 'query' && explode) return texts;
  const items = texts.join().split(',');
  return where === 'header' ? items.map((item) => item.trim()) : items;
}

/** A text is accepted as itself, or as the number or truth value that it spells. */
function violationOfValue(
  { name, check }: ParameterRule,
  text: unknown,
  value: unknown,
): Violation | undefined {
  const asText = check(text);
  const asValue = asText && check(value);
  if (asText === undefined || asValue === undefined) return undefined;
  return asText.keyword === 'type' ? violationOf(asValue, value, [name]) : violationOf(asText, text, [name]);
}

const literal = /^(?:true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** The value of a text that is a number or truth value of JSON; other texts as they are. */
const spelled = (text: string): unknown => (literal.test(text) ? JSON.parse(text) : text);
