import { detailLabels } from './detail-labels.ts';

/** A value for people. A number is a moment, in milliseconds since 1970; null means that there is none. */
export type DetailValue = string | number | null;

/** What is on record beside the action. */
export interface Fact {
  /** As it is recorded. */
  readonly field: string;
  readonly label: string;
  readonly value: DetailValue;
}

/** A field before and after. */
export interface Change {
  readonly field: string;
  readonly label: string;
  readonly from: DetailValue;
  readonly to: DetailValue;
}

export interface EventDetails {
  readonly facts: readonly Fact[];
  readonly changes: readonly Change[];
}

const maxLength = 2_000;
/** What only serves to find the subject. */
const hidden: ReadonlySet<string> = new Set(['applicationId', 'id', 'invitedBy']);

/** The recorded details of an event as people read them. */
export function readDetails(details: Readonly<Record<string, unknown>>): EventDetails {
  const facts: Fact[] = [];
  const changes: Change[] = [];
  for (const [field, value] of inOrder(details)) {
    const label = detailLabels.get(field) ?? field;
    const [from, to] = isChange(value)
      ? [toValue(field, value.from), toValue(field, value.to)]
      : [undefined, toValue(field, value)];
    if (from === undefined || from === to) facts.push({ field, label, value: to });
    else changes.push({ field, label, from, to });
  }
  return { facts, changes };
}

/** As labels are ordered; what has none comes last. */
function inOrder(details: Readonly<Record<string, unknown>>): (readonly [string, unknown])[] {
  const order = [...detailLabels.keys()];
  const place = (field: string) => (order.includes(field) ? order.indexOf(field) : order.length);
  return Object.entries(details)
    .filter(([field]) => !hidden.has(field))
    .sort(([a], [b]) => place(a) - place(b));
}

/** Whether a recorded value is one before and one after. */
export function isChange(value: unknown): value is { readonly from?: unknown; readonly to?: unknown } {
  return typeof value === 'object' && value !== null && ('from' in value || 'to' in value);
}

function toValue(field: string, value: unknown): DetailValue {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return field.endsWith('At') ? value : value.toLocaleString('en');
  return textOf(value).slice(0, maxLength);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(textOf).join(', ');
  const lastFour: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'lastFour') : null;
  return typeof lastFour === 'string' ? `ends with ${lastFour}` : JSON.stringify(value);
}
