import type { Scope } from '../../api/session.ts';
import type { Application, WebhookEvent } from './api.ts';

/** What the form of an app holds. Lists of texts have a row for each, also empty ones. */
export interface AppFormValues {
  readonly name: string;
  readonly description: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly Scope[];
  readonly ipWhitelist: readonly string[];
  readonly webhooksEnabled: boolean;
  readonly webhookEvents: readonly WebhookEvent[];
  readonly allowedOrigins: readonly string[];
}

/** What the form of a new app begins with. */
export const emptyValues: AppFormValues = {
  name: '',
  description: '',
  redirectUris: [''],
  scopes: [],
  ipWhitelist: [''],
  webhooksEnabled: false,
  webhookEvents: [],
  allowedOrigins: [''],
};

/** An app as its form shows it. */
export function toFormValues(application: Application): AppFormValues {
  const { name, description, redirectUris, scopes, ipWhitelist, webhooksEnabled, webhookEvents } =
    application;
  const allowedOrigins = withoutBlanks(application.allowedOrigins);
  return {
    name,
    description,
    redirectUris,
    scopes,
    ipWhitelist,
    webhooksEnabled,
    webhookEvents,
    allowedOrigins,
  };
}

/** Without empty rows: what the server counts is what the form shows. A list has one row at least. */
export function withoutBlankRows(draft: AppFormValues): AppFormValues {
  const { redirectUris, ipWhitelist, allowedOrigins } = draft;
  return {
    ...draft,
    redirectUris: withoutBlanks(redirectUris),
    ipWhitelist: withoutBlanks(ipWhitelist),
    allowedOrigins: withoutBlanks(allowedOrigins),
  };
}

/** The entries of a list of rows. */
export function nonBlankRows(rows: readonly string[]): string[] {
  return rows.map((row) => row.trim()).filter((row) => row !== '');
}

function withoutBlanks(rows: readonly string[]): readonly string[] {
  const entries = nonBlankRows(rows);
  return entries.length === 0 ? [''] : entries;
}

/** The draft as the API takes it. */
export function toRequestBody(draft: AppFormValues) {
  return {
    ...draft,
    redirectUris: nonBlankRows(draft.redirectUris),
    scopes: [...draft.scopes].sort(),
    ipWhitelist: nonBlankRows(draft.ipWhitelist),
    webhookEvents: [...draft.webhookEvents].sort(),
    allowedOrigins: nonBlankRows(draft.allowedOrigins),
  };
}

export type AppSettings = ReturnType<typeof toRequestBody>;

/** The settings that were changed, and no others: another person may be at work on those. */
export function changedFields(begun: AppFormValues, draft: AppFormValues): Partial<AppSettings> {
  const before = toRequestBody(begun);
  const entries = Object.entries(toRequestBody(draft)).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(Reflect.get(before, field)),
  );
  return Object.fromEntries(entries);
}

/** What can be seen to be missing before anybody is asked. The server has the last word. */
export function validate(draft: AppFormValues): Readonly<Record<string, string | null>> {
  const isMissing = (text: string) => text.trim() === '';
  return {
    name: isMissing(draft.name) ? 'Give the app a name.' : null,
    description: isMissing(draft.description) ? 'Say in a sentence what the app does.' : null,
    'redirectUris.0':
      nonBlankRows(draft.redirectUris).length === 0 ? 'Enter at least one redirect URI.' : null,
    scopes: draft.scopes.length === 0 ? 'Choose at least one permission.' : null,
    'ipWhitelist.0': nonBlankRows(draft.ipWhitelist).length === 0 ? 'Enter at least one address.' : null,
  };
}

/** Faults of a list's entries, by the entry: they stay with it wherever it moves, and go when it is changed. */
export type RowErrors = ReadonlyMap<string, string>;

/** The faults of a list among those that an answer names: `ipWhitelist.2` is that of the third entry. */
export function rowErrors(
  faults: Readonly<Record<string, string | null>>,
  list: string,
  entries: readonly string[],
): RowErrors {
  const found = entries.flatMap((entry, place): [string, string][] => {
    const fault = faults[`${list}.${place}`];
    return fault === undefined || fault === null ? [] : [[entry.trim(), fault]];
  });
  return new Map(found);
}

/** A pasted text as entries: lines, or what commas or blanks stand between. */
export function splitEntries(text: string): string[] {
  return text.split(/[\s,;]+/).filter((part) => part !== '');
}
