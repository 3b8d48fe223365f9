import { changedValues } from '../../components/changed-values.ts';
import type { Application } from './api.ts';

/** Fields of an application that the server sets. All others are edited in the form. */
type ServerField =
  | 'id'
  | 'clientId'
  | 'secrets'
  | 'suspensions'
  | 'connectedUsers'
  | 'connectedUserLimit'
  | 'createdAt'
  | 'updatedAt';

/** Values of the app form: the settings of an application. Lists of text have one row per entry, blank rows included. */
export type AppFormValues = Omit<Application, ServerField>;

/** The form of a new app. A new setting of applications starts here; its control is in app-fields.tsx. */
export const emptyValues: AppFormValues = {
  name: '',
  description: '',
  redirectUris: [''],
  scopes: [],
  ipWhitelist: [''],
  allowedOrigins: [''],
  webhooksEnabled: false,
  webhookEvents: [],
  repeatLostRefresh: false,
};

/** Errors of required fields that are empty. */
const requiredErrors: Partial<Record<keyof AppFormValues, string>> = {
  name: 'Enter a name.',
  description: 'Describe in a sentence what the app does.',
  redirectUris: 'Enter at least one redirect URI.',
  scopes: 'Select at least one permission.',
  ipWhitelist: 'Enter at least one address.',
};

/** Lists that are edited as rows of text. */
export const rowFields = ['redirectUris', 'ipWhitelist', 'allowedOrigins'] as const;

export type RowField = (typeof rowFields)[number];

/** The settings of an application as form values. */
export function toFormValues(application: Application): AppFormValues {
  const {
    id,
    clientId,
    secrets,
    suspensions,
    connectedUsers,
    connectedUserLimit,
    createdAt,
    updatedAt,
    ...settings
  } = application;
  return withoutBlankRows(settings);
}

/** Drops blank rows, so that row numbers match the entries that the server counts; an empty list keeps one row. */
export function withoutBlankRows(values: AppFormValues): AppFormValues {
  return mapRows(values, (rows) => {
    const entries = nonBlankRows(rows);
    return entries.length === 0 ? [''] : entries;
  });
}

/** The trimmed rows that are not blank. */
export function nonBlankRows(rows: readonly string[]): string[] {
  return rows.map((row) => row.trim()).filter((row) => row !== '');
}

/** The error of a list with more entries than the server takes; blank rows are not sent. */
export function tooManyError(rows: readonly string[], max: number): string | undefined {
  const excess = nonBlankRows(rows).length - max;
  return excess > 0 ? `At most ${max} entries: remove ${excess}.` : undefined;
}

function mapRows(values: AppFormValues, map: (rows: readonly string[]) => string[]): AppFormValues {
  const mapped = { ...values };
  for (const field of rowFields) mapped[field] = map(values[field]);
  return mapped;
}

/** The body of a request that creates the app. */
export function toRequestBody(values: AppFormValues): AppFormValues {
  return {
    ...mapRows(values, nonBlankRows),
    scopes: values.scopes.toSorted(),
    webhookEvents: values.webhookEvents.toSorted(),
  };
}

/** The settings that differ from the initial ones. */
export const changedFields = (initial: AppFormValues, values: AppFormValues): Partial<AppFormValues> =>
  changedValues(toRequestBody(initial), toRequestBody(values));

/** Errors by field, or by row as in `ipWhitelist.2`. */
export type FormErrors = Readonly<Record<string, string>>;

/** Required fields that are empty. Everything else is validated by the server. */
export function validate(values: AppFormValues): FormErrors {
  const body = toRequestBody(values);
  const errors = Object.entries(requiredErrors)
    .filter(([field]) => isEmpty(Reflect.get(body, field)))
    .map(([field, error]) => [rowFields.some((name) => name === field) ? `${field}.0` : field, error]);
  return Object.fromEntries(errors);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : typeof value === 'string' && value.trim() === '';
}

/** Errors of a list's rows by their text: an error follows its row when rows move and disappears when it is edited. */
export type RowErrors = ReadonlyMap<string, string>;

/** The errors of one list, found by the index in their path: `ipWhitelist.2` belongs to the third row. */
export function rowErrors(errors: FormErrors, field: string, rows: readonly string[]): RowErrors {
  const found = rows.flatMap((row, index): [string, string][] => {
    const error = errors[`${field}.${index}`];
    return error === undefined ? [] : [[row.trim(), error]];
  });
  return new Map(found);
}

/** Splits pasted text at line breaks, blanks, commas and semicolons. */
export function splitEntries(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== '');
}
