import { AppError } from '@platform/service-kit/values/app-error.ts';
import { controlCharacters, isPlainText } from '@platform/service-kit/values/text.ts';
import { z } from 'zod';
import { checkOptionalIpWhitelist } from '../../platform/ip-whitelist.ts';
import { chooseScopes } from '../../platform/scope.ts';
import { checkName } from '../../platform/text.ts';

/** Kind of an API key (contract 2.5); never changes. */
export type KeyType = 'secret' | 'restricted';

const maxDescriptionLength = 500;

/** Trims and checks a description. @throws AppError beyond 500 characters or with control characters */
export function checkDescription(candidate: string): string {
  const description = candidate.trim();
  const refuse = (text: string): AppError => new AppError('invalid_argument', 'invalid_description', text);
  if ([...description].length > maxDescriptionLength) {
    throw refuse(`description must have at most ${maxDescriptionLength} characters`);
  }
  if (!isPlainText(description)) throw refuse(`description ${controlCharacters}`);
  return description;
}

/**
 * The scopes of a key, sorted: one or more for a restricted key, none for a secret key (contract 5.3).
 * @throws AppError for any other combination, for a scope that may not be chosen and for one given twice
 */
export function checkScopes(
  choosable: ReadonlySet<string>,
  keyType: KeyType,
  candidates: readonly string[],
): string[] {
  if (keyType === 'restricted') return chooseScopes(choosable, candidates, 'a restricted key');
  if (candidates.length === 0) return [];
  throw new AppError('invalid_argument', 'scopes_not_allowed', 'a secret key takes no scopes');
}

/**
 * The settings of an API key as requests carry them (contract 2.5), in the order of the form. Type and expiration are no
 * settings: they are chosen at creation and never change.
 */
export const settingsInput = {
  name: z.string(),
  description: z.string(),
  scopes: z.array(z.string()),
  ipWhitelist: z
    .array(z.string())
    // The rule of the list is stricter.
    .max(200)
    .describe('Addresses and networks from which it may be used, IPv4 or IPv6; empty for any.'),
};

/** Settings that a new key may leave out, with its value then. */
export const optionalSettings = {
  description: settingsInput.description.default(''),
  scopes: settingsInput.scopes.default([]),
  ipWhitelist: settingsInput.ipWhitelist.default([]),
};

const newSettings = z.object({ ...settingsInput, ...optionalSettings });

/** The same fields, each with the rule that puts it in normal form, or throws. */
const rulesOf = (choosable: ReadonlySet<string>, keyType: KeyType) =>
  z.object({
    name: settingsInput.name.transform(checkName),
    description: settingsInput.description.transform(checkDescription),
    scopes: settingsInput.scopes.transform((scopes) => checkScopes(choosable, keyType, scopes)),
    ipWhitelist: settingsInput.ipWhitelist.transform(checkOptionalIpWhitelist),
  });

/** Settings as a request has them. */
export type RequestedSettings = Readonly<z.input<ReturnType<typeof rulesOf>>>;

/** Settings in normal form: trimmed, scopes sorted, addresses normalised. */
export type KeySettings = Readonly<z.output<ReturnType<typeof rulesOf>>>;

export const settingNames = z.object(settingsInput).keyof().options;

/** Settings of a new key. */
export type NewSettings = Readonly<z.input<typeof newSettings>>;

/** @throws AppError with the first validation error */
export function checkSettings(
  choosable: ReadonlySet<string>,
  keyType: KeyType,
  requested: NewSettings,
): KeySettings {
  return rulesOf(choosable, keyType).parse(newSettings.parse(requested));
}

/** Settings to change; absent fields stay as they are. */
export type SettingsUpdate = {
  readonly [Field in keyof RequestedSettings]?: RequestedSettings[Field] | undefined;
};

/** Settings that change, in normal form. */
export type SettingsChange = { readonly [Field in keyof KeySettings]?: KeySettings[Field] };

/**
 * The given settings, in normal form. Other settings are not checked, so that a key whose name violates a newer rule can
 * still get other scopes.
 * @throws AppError with the first validation error
 */
export function checkChange(
  choosable: ReadonlySet<string>,
  keyType: KeyType,
  update: SettingsUpdate,
): SettingsChange {
  const given = givenSettings(update).map((name) => [name, update[name]]);
  return rulesOf(choosable, keyType).exactPartial().parse(Object.fromEntries(given));
}

/** Names of the settings that an update contains. */
export function givenSettings(update: SettingsUpdate): (keyof KeySettings)[] {
  return settingNames.filter((name) => update[name] !== undefined);
}

/** Setting by the reason of its validation error. */
export const settingOfError = {
  invalid_name: 'name',
  invalid_description: 'description',
  scopes_not_allowed: 'scopes',
  scopes_required: 'scopes',
  duplicate_scope: 'scopes',
  unknown_scope: 'scopes',
  scopes_immutable: 'scopes',
  invalid_ip_whitelist: 'ipWhitelist',
} as const satisfies Record<string, keyof KeySettings>;
