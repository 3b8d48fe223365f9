import { AppError, toAppError } from '@platform/service-kit/values/app-error.ts';
import { hiddenCharacters, isDescription } from '@platform/service-kit/values/name.ts';
import { z } from 'zod';
import { checkIpWhitelist, isWhitelisted } from '../../platform/ip-whitelist.ts';
import { type ApiScopes, choosableScopes, chooseScopes } from '../../platform/scope.ts';
import { checkPublicName } from '../../platform/text.ts';
import { checkAllowedOrigins } from './allowed-origin.ts';
import { checkRedirectUris } from './redirect-uri.ts';

/** Events that an application may choose, sorted. */
export const webhookEvents = [
  'application.connected',
  'application.disconnected',
  'business.banned',
  'business.unbanned',
  'business.updated',
  'business.verification_rejected',
  'business.verification_submitted',
  'business.verified',
  'order.cancelled',
  'order.created',
  'order.fulfilled',
  'order.paid',
  'order.updated',
] as const;

type WebhookEvent = (typeof webhookEvents)[number];

export function isWebhookEvent(candidate: string): candidate is WebhookEvent {
  return (webhookEvents as readonly string[]).includes(candidate);
}

/** The chosen events, sorted. @throws AppError for unknown or repeated ones */
export function checkWebhookEvents(candidates: readonly string[]): WebhookEvent[] {
  const known = candidates.filter(isWebhookEvent);
  if (known.length < candidates.length) {
    throw new AppError(
      'invalid_argument',
      'unknown_webhook_event',
      `webhook events must be among ${webhookEvents.join(', ')}`,
    );
  }
  if (new Set(known).size < known.length) {
    throw new AppError('invalid_argument', 'duplicate_webhook_event', 'a webhook event is given twice');
  }
  return known.sort();
}

const maxDescriptionLength = 500;

/** The description without blanks around it. @throws AppError unless it has 1 to 500 characters */
export function checkDescription(candidate: string): string {
  const description = candidate.trim();
  const length = [...description].length;
  const refuse = (text: string): AppError => new AppError('invalid_argument', 'invalid_description', text);
  if (length < 1 || length > maxDescriptionLength) {
    throw refuse(`description must have 1 to ${maxDescriptionLength} characters`);
  }
  if (!isDescription(description)) throw refuse(`description ${hiddenCharacters}`);
  return description;
}

/** Upper bound for every list; each list's own rule is stricter. */
const maxEntries = 200;

const texts = z.array(z.string()).max(maxEntries);

/** The settings of an application as requests carry them (contract 2.2): every field, in the order of the form. */
export const settingsInput = {
  name: z.string(),
  description: z.string(),
  redirectUris: texts,
  scopes: texts,
  ipWhitelist: texts.describe('Addresses and networks in CIDR notation, IPv4 or IPv6.'),
  webhooksEnabled: z.boolean(),
  webhookEvents: texts,
  allowedOrigins: texts.describe(
    'Origins whose pages may call the API with access tokens of the application.',
  ),
  repeatLostRefresh: z
    .boolean()
    .describe(
      'Whether a refresh that is repeated within a minute gets its tokens again, until its new refresh token is used.',
    ),
};

/** The same fields, each with the rule that puts it in normal form, or throws. */
const rulesOf = (choosable: ReadonlySet<string>) =>
  z.object({
    name: settingsInput.name.transform(checkPublicName),
    description: settingsInput.description.transform(checkDescription),
    redirectUris: settingsInput.redirectUris.transform(checkRedirectUris),
    scopes: settingsInput.scopes.transform((scopes) => chooseScopes(choosable, scopes, 'an application')),
    ipWhitelist: settingsInput.ipWhitelist.transform(checkIpWhitelist),
    webhooksEnabled: settingsInput.webhooksEnabled,
    webhookEvents: settingsInput.webhookEvents.transform(checkWebhookEvents),
    allowedOrigins: settingsInput.allowedOrigins.transform(checkAllowedOrigins),
    repeatLostRefresh: settingsInput.repeatLostRefresh,
  });

type SettingsRules = ReturnType<typeof rulesOf>;

/** Settings as a request has them. */
export type RequestedSettings = Readonly<z.input<SettingsRules>>;

/** Settings in normal form: trimmed, sorted, addresses normalised. */
export type ApplicationSettings = Readonly<z.output<SettingsRules>>;

export const settingNames = z.object(settingsInput).keyof().options;

/** @throws AppError with the first validation error */
export function checkSettings(apiScopes: ApiScopes, requested: RequestedSettings): ApplicationSettings {
  return rulesOf(choosableScopes(apiScopes)).parse(requested);
}

/** Settings to change; absent fields stay as they are. */
export type SettingsUpdate = {
  readonly [Field in keyof RequestedSettings]?: RequestedSettings[Field] | undefined;
};

/** Settings that change, in normal form. */
export type SettingsChange = Partial<ApplicationSettings>;

/** A change that the rules allow. */
export interface AllowedUpdate {
  readonly change: SettingsChange;
  /** Whether the change names scopes, whitelist or allowed origins, and so invalidates cached authorizations. */
  readonly touchesAccess: boolean;
}

const accessFields = ['scopes', 'ipWhitelist', 'allowedOrigins'] as const;

/**
 * The given settings, in normal form. Other settings are not checked, so that an application that violates a newer rule
 * can still get another whitelist. It may keep scopes that the API has no longer.
 * @throws AppError when nothing is to change, or with what is wrong
 */
export function checkUpdate(
  apiScopes: ApiScopes,
  before: Pick<ApplicationSettings, 'scopes'>,
  update: SettingsUpdate,
): AllowedUpdate {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  if (given.length === 0) {
    throw new AppError('invalid_argument', 'empty_update', 'nothing to change is given');
  }
  return {
    change: rulesOf(choosableScopes(apiScopes, before.scopes))
      .exactPartial()
      .parse(Object.fromEntries(given)),
    touchesAccess: accessFields.some((field) => update[field] !== undefined),
  };
}

/** Validation errors by field: `name`, or `ipWhitelist.2` for one entry of a list. */
type SettingsErrors = Readonly<Record<string, string>>;

/** Every validation error of the given settings, for a form that shows all of them. @param choosable scopes */
export function findSettingsErrors(choosable: ReadonlySet<string>, given: SettingsUpdate): SettingsErrors {
  const fields = settingNames.filter((field) => given[field] !== undefined);
  const rules = rulesOf(choosable);
  return Object.assign({}, ...fields.map((field) => fieldErrors(rules, field, given[field])));
}

/** Errors of single entries, else that of the list as a whole. */
function fieldErrors(
  { shape }: SettingsRules,
  field: keyof ApplicationSettings,
  value: unknown,
): SettingsErrors {
  const rule = shape[field];
  const byEntry = addressed.has(field) && Array.isArray(value) ? value : [];
  const errors = byEntry.map((entry, i) => errorOf(rule, [entry], `${field}.${i}`));
  const all: SettingsErrors = Object.assign({}, ...errors);
  return Object.keys(all).length > 0 ? all : errorOf(rule, value, field);
}

/** Lists that are typed in, so that an error belongs to an entry; the others are chosen. */
const addressed: ReadonlySet<string> = new Set(['redirectUris', 'ipWhitelist', 'allowedOrigins']);

function errorOf(rule: z.ZodType, value: unknown, name: string): SettingsErrors {
  try {
    rule.parse(value);
    return {};
  } catch (error) {
    const { kind, message } = toAppError(error);
    if (kind !== 'invalid_argument') throw error;
    return { [name]: message };
  }
}

/** A client address of an application. */
interface ClientAddress {
  readonly address: string;
  /** Milliseconds since 1970; undefined when nothing succeeded. */
  readonly lastSuccessAt: number | undefined;
}

/** Effect of a whitelist before it is saved. */
export interface WhitelistPreview<Of extends ClientAddress> {
  /** By entry, as `ipWhitelist.2`. The other fields consider the valid entries. */
  readonly errors: SettingsErrors;
  /** Whether the address of the person who asks would be admitted. */
  readonly allowed: boolean;
  /** Clients with successful requests that would be refused; the latest success first. */
  readonly shutOut: readonly Of[];
}

/** Checks a whitelist against recent client addresses. */
export function previewWhitelist<Of extends ClientAddress>(
  candidates: readonly string[],
  clientIp: string,
  callers: readonly Of[],
): WhitelistPreview<Of> {
  const errors = fieldErrors(rulesOf(new Set()), 'ipWhitelist', candidates);
  const valid = candidates.filter((_, i) => errors[`ipWhitelist.${i}`] === undefined);
  const whitelist = valid.flatMap((entry) => checkIpWhitelist([entry]));
  const succeeded = callers.filter(({ lastSuccessAt }) => lastSuccessAt !== undefined);
  const shutOut = succeeded
    .filter(({ address }) => !isWhitelisted(whitelist, address))
    .sort((a, b) => (b.lastSuccessAt ?? 0) - (a.lastSuccessAt ?? 0));
  return { errors, allowed: isWhitelisted(whitelist, clientIp), shutOut };
}
