import { escapeHtml } from '../html.ts';
import { renderInline } from '../render-markdown.ts';
import type { Schema } from './document.ts';

const code = (text: unknown) => `<code>${escapeHtml(String(text))}</code>`;

/** A field or parameter, as one row. */
interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
  readonly description?: string | undefined;
}

/** Clients write requests, with every field in view; of responses they read what they need. */
type Side = 'request' | 'response';

/** A schema as nested lists: a row per field with its type, its limits and what it means. */
export function renderSchema(given: Schema = {}, side: Side): string {
  const schema = merged(given);
  const { properties = {}, required = [], items, oneOf } = schema;
  if (oneOf !== undefined) return renderVariants(oneOf, side);
  if (items !== undefined) return renderSchema(items, side);
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    isRequired: required.includes(name),
    description: field.description,
  }));
  const notes = notesOf(schema).map((note) => `<p class="note">${note}</p>`);
  return `${notes.join('')}${renderFields(fields, side)}`;
}

/** Rows of fields or parameters; empty where there is none. */
export function renderFields(fields: readonly Field[], side: Side): string {
  if (fields.length === 0) return '';
  return `<ul class="fields">${fields.map((field) => renderField(field, side)).join('')}</ul>`;
}

function renderField({ name, schema, isRequired, description }: Field, side: Side): string {
  const flag = flagOf(isRequired, side);
  const text = description === undefined ? '' : `<p>${renderInline(description)}</p>`;
  return `<li><code class="name">${escapeHtml(name)}</code> <span class="type">${describeType(schema)}</span>${flag}${text}${renderInside(schema, side)}</li>`;
}

function flagOf(isRequired: boolean, side: Side): string {
  if (side === 'request') return isRequired ? ' <span class="required">required</span>' : '';
  return isRequired ? '' : ' <span class="note">may be absent</span>';
}

/** The fields of an object or of the items of an array, to be opened. */
function renderInside(schema: Schema, side: Side): string {
  const inner = renderSchema(schema, side);
  if (inner === '') return '';
  const what = schema.items?.title ?? schema.title ?? (schema.items === undefined ? 'Fields' : 'Items');
  return renderDetails(escapeHtml(what), inner, side);
}

function renderVariants(variants: readonly Schema[], side: Side): string {
  const items = variants.map(
    (variant) =>
      `<li>${renderDetails(escapeHtml(variant.title ?? ''), renderSchema(variant, side), side)}</li>`,
  );
  return `<p class="note">One of:</p><ul class="fields">${items.join('')}</ul>`;
}

/** Something to be opened. @param summary and @param inner HTML */
export const renderDetails = (summary: string, inner: string, side: Side): string =>
  `<details${side === 'request' ? ' open' : ''}><summary>${summary}</summary>${inner}</details>`;

/** One schema in place of `allOf`; what comes later replaces a property. */
function merged({ allOf = [], ...own }: Schema): Schema {
  const parts = [own, ...allOf.map(merged)];
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  return { ...Object.assign({}, ...parts), properties };
}

function notesOf({ minProperties, anyOf }: Schema): string[] {
  const choices = anyOf?.flatMap(({ required = [] }) => required.map(code)) ?? [];
  return [
    ...(minProperties === undefined ? [] : [`At least ${minProperties} field.`]),
    ...(choices.length === 0 ? [] : [`At least one of ${choices.join(' and ')}.`]),
  ];
}

/** Type, values and limits of a value in words, as HTML. */
export function describeType(schema: Schema): string {
  const parts = [typeOf(schema), ...valuesOf(schema), ...limitsOf(schema)];
  return parts.filter((part) => part !== '').join(', ');
}

function typeOf({ type = [], format, items, additionalProperties }: Schema): string {
  const names = [type].flat();
  const [name = ''] = names;
  const orNull = names.includes('null') ? ' or null' : '';
  if (items !== undefined) return `array of ${escapeHtml(items.title ?? typeOf(items))}${orNull}`;
  if (typeof additionalProperties === 'object')
    return `map of ${describeType(additionalProperties)}${orNull}`;
  return `${format === undefined ? name : escapeHtml(format)}${orNull}`;
}

function valuesOf({ enum: values, const: only, default: standard }: Schema): string[] {
  return [
    ...(values === undefined
      ? []
      : [
          values
            .filter((value) => value !== null)
            .map(code)
            .join(' · '),
        ]),
    ...(only === undefined ? [] : [`always ${code(only)}`]),
    ...(standard === undefined ? [] : [`${code(standard)} if absent`]),
  ];
}

function limitsOf(schema: Schema): string[] {
  return [
    rangeOf(schema.minimum, schema.maximum, ''),
    rangeOf(schema.minLength, schema.maxLength, 'characters'),
    rangeOf(schema.minItems, schema.maxItems, 'items'),
    rangeOf(undefined, schema.maxProperties, 'entries'),
    describePattern(schema.pattern, ''),
    describePattern(schema.propertyNames?.pattern, 'names '),
  ];
}

const singular = { characters: 'character', items: 'item', entries: 'entry' };

const count = (value: number) => value.toLocaleString('en');

type Unit = keyof typeof singular | '';

function rangeOf(from: number | undefined, to: number | undefined, unit: Unit): string {
  const isOne = (to ?? from) === 1;
  const after = unit === '' ? '' : ` ${isOne ? singular[unit] : unit}`;
  if (from !== undefined && to !== undefined) return `${count(from)} to ${count(to)}${after}`;
  if (to !== undefined) return `at most ${count(to)}${after}`;
  return from === undefined ? '' : `at least ${count(from)}${after}`;
}

/** A long pattern of this kind says less than its words. */
const withoutControls = '^[^\\u0000-';

function describePattern(pattern: string | undefined, subject: string): string {
  if (pattern === undefined) return '';
  return pattern.startsWith(withoutControls)
    ? 'no control characters'
    : `${subject}matching ${code(pattern)}`;
}
