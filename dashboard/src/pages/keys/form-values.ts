import type { Scope } from '../../api/session.ts';
import { changedValues } from '../../components/changed-values.ts';
import { curlCommand } from '../../components/format.ts';
import { nonBlankRows } from '../apps/form-values.ts';
import { type ApiKeyDetail, type ApiKeyType, usedScopes } from './api.ts';

/** Lifetime of a key: a number of days, until the end of a selected day, or unlimited. */
export type Lifetime = '7' | '30' | '90' | '365' | 'date' | 'never';

/** Selectable lifetimes. */
export const lifetimes: readonly { readonly value: Lifetime; readonly label: string }[] = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: 'date', label: 'Custom date' },
  { value: 'never', label: 'Never' },
];

const dayMs = 86_400_000;

/** Expiration of a key created now, in ms since 1970; null for never, undefined for a missing or past date. */
export function expirationTime(lifetime: Lifetime, date: string, now: number): number | null | undefined {
  if (lifetime === 'never') return null;
  if (lifetime !== 'date') return now + Number(lifetime) * dayMs;
  const end = endOfDay(date);
  return end !== undefined && end > now ? end : undefined;
}

/** The original lifetime of a key: a selectable one, or else the date on which the same lifetime ends from now. */
export function lifetimeOf(
  { createdAt, expiresAt }: { readonly createdAt: string; readonly expiresAt: string | null },
  now: number,
): { readonly lifetime: Lifetime; readonly date: string } {
  if (expiresAt === null) return { lifetime: 'never', date: '' };
  const days = (Date.parse(expiresAt) - Date.parse(createdAt)) / dayMs;
  const preset = lifetimes.find(({ value }) => Math.abs(Number(value) - days) < 1);
  if (preset !== undefined) return { lifetime: preset.value, date: '' };
  return { lifetime: 'date', date: toDateInput(now + Math.max(1, days) * dayMs) };
}

/** Local date as the value of a date input: 2026-11-21. */
export function toDateInput(ms: number): string {
  const moment = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}

/** Local midnight at the end of a day; undefined for an invalid date. */
function endOfDay(date: string): number | undefined {
  const [, year, month, day] = /^(\d{4,6})-(\d\d)-(\d\d)$/.exec(date) ?? [];
  if (year === undefined) return undefined;
  const end = new Date(Number(year), Number(month) - 1, Number(day) + 1).getTime();
  return Number.isNaN(end) ? undefined : end;
}

/** Fields of a key that are no settings: the server sets them, or they are fixed at creation. */
type OtherField =
  | 'id'
  | 'keyType'
  | 'status'
  | 'expiresSoon'
  | 'lastFour'
  | 'createdAt'
  | 'expiresAt'
  | 'rotatedAt'
  | 'lastUsedAt'
  | 'lastUsedIp'
  | 'createdBy'
  | 'secretSeenBy'
  | 'freeze'
  | 'rollingHour'
  | 'scopeUses'
  | 'grantedLimit';

/** Settings of a key. A new setting starts in `emptyValues`; its control is in key-fields.tsx. */
export type KeySettings = Readonly<Omit<ApiKeyDetail, OtherField>>;

/** Values of the form of a new key. The scopes are kept when the type is switched to secret and back. */
export interface KeyFormValues extends KeySettings {
  readonly keyType: ApiKeyType;
  readonly lifetime: Lifetime;
  /** Last day for the lifetime `date`: 2026-11-21. */
  readonly date: string;
}

export const emptyValues: KeyFormValues = {
  name: '',
  description: '',
  keyType: 'restricted',
  scopes: [],
  ipWhitelist: [],
  lifetime: '90',
  date: '',
};

/** Values of an empty form, with the name and the scopes that a program asks for in its link to the page. */
export function askedValues(parameters: URLSearchParams): KeyFormValues {
  const scopes = parameters.get('scopes')?.split(' ') ?? [];
  // The server refuses those that it does not know.
  return { ...emptyValues, name: parameters.get('name') ?? '', scopes: scopes.filter(Boolean) };
}

const maxNameLength = 100;

const copySuffix = ' (copy)';

/** Values of a second key with the same settings. `now` in ms since 1970. */
export function duplicate(key: ApiKeyDetail, now: number): KeyFormValues {
  const { keyType } = key;
  return { ...settingsOf(key), name: duplicateName(key.name), keyType, ...lifetimeOf(key, now) };
}

/** The settings of a key as form values. */
export function settingsOf(key: ApiKeyDetail): KeySettings {
  const {
    id,
    keyType,
    status,
    expiresSoon,
    lastFour,
    createdAt,
    expiresAt,
    rotatedAt,
    lastUsedAt,
    lastUsedIp,
    createdBy,
    secretSeenBy,
    freeze,
    rollingHour,
    grantedLimit,
    scopeUses,
    ...settings
  } = key;
  return settings;
}

/** The settings that differ from the initial ones. */
export function changedSettings(initial: KeySettings, settings: KeySettings): Partial<KeySettings> {
  const sorted = (each: KeySettings) => ({
    ...each,
    scopes: each.scopes.toSorted(),
    ipWhitelist: nonBlankRows(each.ipWhitelist),
  });
  return changedValues(sorted(initial), sorted(settings));
}

/** Values of a restricted key with the scopes that a key has used. */
export function duplicateAsRestricted(key: ApiKeyDetail, now: number): KeyFormValues {
  return { ...duplicate(key, now), keyType: 'restricted', scopes: [...usedScopes(key)] };
}

/** Values without scopes that the API has no longer, which a new key cannot have. */
export function ofApi(known: readonly { readonly scope: Scope }[], values: KeyFormValues): KeyFormValues {
  return { ...values, scopes: values.scopes.filter((scope) => known.some((one) => one.scope === scope)) };
}

/** "Shop (copy)", shortened to the maximum length. */
function duplicateName(name: string): string {
  const kept = [...name].slice(0, maxNameLength - copySuffix.length).join('');
  return `${kept.trimEnd()}${copySuffix}`;
}

/** Key types with their descriptions. */
export const keyTypes: readonly {
  readonly type: ApiKeyType;
  readonly label: string;
  readonly summary: string;
  readonly description: string;
}[] = [
  {
    type: 'restricted',
    label: 'Restricted key',
    summary: 'Can do only what you allow.',
    description: 'For integrations, partners and scripts. Limits the damage if it leaks.',
  },
  {
    type: 'secret',
    label: 'Secret key',
    summary: 'Can do everything the API offers for your business.',
    description: 'For a backend that you run yourself and trust with all your data.',
  },
];

/** Short names of the types, for lists. */
export const typeNames: Readonly<Record<ApiKeyType, string>> = { restricted: 'Restricted', secret: 'Secret' };

/** A key string with all but its prefix and last four characters hidden. */
export function keyHint({
  keyType,
  lastFour,
}: {
  readonly keyType: ApiKeyType;
  readonly lastFour: string;
}): string {
  return `${keyType === 'secret' ? 'sk' : 'rk'}_…${lastFour}`;
}

const sampleOrder = {
  currency: 'EUR',
  line_items: [{ name: 'Test', quantity: 1, unit_amount: 100 }],
  customer: { name: 'Test' },
};

/** A curl command that a new key may run; undefined if its scopes allow none. */
export function tryCommand(
  { keyType, scopes }: { readonly keyType: ApiKeyType; readonly scopes: readonly Scope[] },
  keyString: string,
): string | undefined {
  const may = (scope: Scope) => keyType === 'secret' || scopes.includes(scope);
  if (may('business:read')) return curlCommand(keyString);
  if (may('orders:read')) return curlCommand(keyString, '/v2/order');
  if (!may('orders:write')) return undefined;
  const body = `  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(sampleOrder)}'`;
  return `# This creates an order.\n${curlCommand(keyString, '/v2/order')} \\\n${body}`;
}
