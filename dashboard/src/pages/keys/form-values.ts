import type { Scope } from '../../api/session.ts';
import { curlCommand } from '../../components/format.ts';
import { type ApiKeyDetail, type ApiKeyType, usedScopes } from './api.ts';

/** How long a key is to live: a number of days, until the end of a day that is chosen, or for ever. */
export type Lifetime = '7' | '30' | '90' | '365' | 'date' | 'never';

/** The lifetimes that are offered, in their order. */
export const lifetimes: readonly { readonly value: Lifetime; readonly label: string }[] = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'date', label: 'A date' },
  { value: 'never', label: 'Never' },
];

const dayMs = 86_400_000;

/** When a key ends that is made now; null for never, undefined where the date is missing or over. */
export function expirationTime(lifetime: Lifetime, date: string, now: number): number | null | undefined {
  if (lifetime === 'never') return null;
  if (lifetime !== 'date') return now + Number(lifetime) * dayMs;
  const end = endOfDay(date);
  return end !== undefined && end > now ? end : undefined;
}

/** The lifetime that a key was given; `date` with the day on which one made now would end, where none is offered. */
export function lifetimeOf(
  { createdAt, expiresAt }: { readonly createdAt: string; readonly expiresAt: string | null },
  now: number,
): { readonly lifetime: Lifetime; readonly date: string } {
  if (expiresAt === null) return { lifetime: 'never', date: '' };
  const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / dayMs;
  const offered = lifetimes.find(({ value }) => Math.abs(Number(value) - days) < 1);
  if (offered !== undefined) return { lifetime: offered.value, date: '' };
  return { lifetime: 'date', date: toDateInput(now + Math.max(1, days) * dayMs) };
}

/** The day of a moment here, as a field for dates has it: 2026-11-21. */
export function toDateInput(ms: number): string {
  const moment = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** The midnight that ends a day here; undefined for what is no date. */
function endOfDay(date: string): number | undefined {
  const [, year, month, day] = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(date) ?? [];
  if (year === undefined) return undefined;
  const end = new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime();
  return Number.isNaN(end) ? undefined : end;
}

/** What the form for a new key holds. */
export interface KeyFormValues {
  readonly name: string;
  readonly description: string;
  readonly keyType: ApiKeyType;
  /** Kept while the type is secret, in case it is changed back. */
  readonly scopes: readonly Scope[];
  readonly lifetime: Lifetime;
  /** For a lifetime of `date`: 2026-11-21. */
  readonly date: string;
}

/** What the form begins with. */
export const emptyValues: KeyFormValues = {
  name: '',
  description: '',
  keyType: 'restricted',
  scopes: [],
  lifetime: '90',
  date: '',
};

const maxNameLength = 100;

const copySuffix = ' (copy)';

/** A second key with the same settings. `now` is milliseconds since 1970. */
export function duplicate(key: ApiKeyDetail, now: number): KeyFormValues {
  const { description, keyType, scopes } = key;
  return { name: duplicateName(key.name), description, keyType, scopes, ...lifetimeOf(key, now) };
}

/** A restricted key that may do what a key was really used for. */
export function duplicateAsRestricted(key: ApiKeyDetail, now: number): KeyFormValues {
  return { ...duplicate(key, now), keyType: 'restricted', scopes: usedScopes(key) };
}

/** "Shop (copy)", shortened where that would be too long. */
function duplicateName(name: string): string {
  const kept = [...name].slice(0, maxNameLength - copySuffix.length).join('');
  return `${kept.trimEnd()}${copySuffix}`;
}

/** What the types are, in plain words. */
export const keyTypes: readonly {
  readonly type: ApiKeyType;
  readonly label: string;
  readonly summary: string;
  readonly description: string;
}[] = [
  {
    type: 'restricted',
    label: 'Restricted key',
    summary: 'Does only what you allow it to do.',
    description:
      'For integrations, partners, and scripts with one job. If it ever leaks, nobody can do more with it than that.',
  },
  {
    type: 'secret',
    label: 'Secret key',
    summary: 'Does everything that the API can do with your business.',
    description: 'For a backend that you run yourself and trust with all of your data.',
  },
];

/** How a type is called in a list. */
export const typeNames: Readonly<Record<ApiKeyType, string>> = { restricted: 'Restricted', secret: 'Secret' };

/** What is still known of a key string: its beginning and its end. */
export function keyHint({
  keyType,
  lastFour,
}: {
  readonly keyType: ApiKeyType;
  readonly lastFour: string;
}): string {
  return `${keyType === 'secret' ? 'sk' : 'rk'}_…${lastFour}`;
}

const order = {
  currency: 'EUR',
  line_items: [{ name: 'Test', quantity: 1, unit_amount: 100 }],
  customer: { name: 'Test' },
};

/** A request to paste that a new key may make; undefined where there is none. */
export function tryCommand(
  { keyType, scopes }: { readonly keyType: ApiKeyType; readonly scopes: readonly Scope[] },
  keyString: string,
): string | undefined {
  const may = (scope: Scope) => keyType === 'secret' || scopes.includes(scope);
  if (may('business:read')) return curlCommand(keyString);
  if (may('orders:read')) return curlCommand(keyString, '/v2/order');
  if (!may('orders:write')) return undefined;
  const body = `  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(order)}'`;
  return `# This makes an order.\n${curlCommand(keyString, '/v2/order')} \\\n${body}`;
}
