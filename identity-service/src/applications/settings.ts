import { AppError, toAppError } from '@platform/service-kit/app-error.ts';
import { checkIpWhitelist, isWhitelisted } from '../platform/ip-whitelist.ts';
import { checkName } from '../platform/text.ts';
import { checkAllowedOrigins } from './allowed-origin.ts';
import {
  type ApplicationSettings,
  checkDescription,
  checkScopes,
  checkWebhookEvents,
} from './application.ts';
import { checkRedirectUris } from './redirect-uri.ts';

/** Settings as they are asked for. */
export interface RequestedSettings {
  readonly name: string;
  readonly description: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly ipWhitelist: readonly string[];
  readonly webhooksEnabled: boolean;
  readonly webhookEvents: readonly string[];
  readonly allowedOrigins: readonly string[];
}

/** The settings in the form in which they are kept (contract 2.2). @throws AppError that names the first fault */
export function checkSettings(requested: RequestedSettings): ApplicationSettings {
  return {
    name: checkName(requested.name),
    description: checkDescription(requested.description),
    redirectUris: checkRedirectUris(requested.redirectUris),
    scopes: checkScopes(requested.scopes),
    ipWhitelist: checkIpWhitelist(requested.ipWhitelist),
    webhooksEnabled: requested.webhooksEnabled,
    webhookEvents: checkWebhookEvents(requested.webhookEvents),
    allowedOrigins: checkAllowedOrigins(requested.allowedOrigins),
  };
}

/** What a caller asks to change; absent fields stay as they are. */
export type SettingsUpdate = {
  readonly [Field in keyof RequestedSettings]?: RequestedSettings[Field] | undefined;
};

/** A change that the rules allow. */
interface AllowedUpdate {
  /** Every setting as it will stand. */
  readonly settings: ApplicationSettings;
  /** Whether scopes, whitelist or allowed origins were named: then cached decisions about its tokens have to go. */
  readonly touchesAccess: boolean;
}

const accessFields = ['scopes', 'ipWhitelist', 'allowedOrigins'] as const;

/** @throws AppError when nothing is to change, or with what is wrong */
export function checkUpdate(before: ApplicationSettings, update: SettingsUpdate): AllowedUpdate {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  if (given.length === 0) {
    throw new AppError('invalid_argument', 'empty_update', 'nothing to change is given');
  }
  return {
    settings: checkSettings({ ...before, ...Object.fromEntries(given) }),
    touchesAccess: accessFields.some((field) => update[field] !== undefined),
  };
}

/** What is wrong with each field: `name`, or `ipWhitelist.2` where one entry of a list is. */
type SettingsFaults = Readonly<Record<string, string>>;

/** Every fault of the settings that are given, not only the first one: for whoever fills in a form. */
export function findSettingsFaults(given: SettingsUpdate): SettingsFaults {
  return {
    ...faultOf('name', given.name, checkName),
    ...faultOf('description', given.description, checkDescription),
    ...listFaults('redirectUris', given.redirectUris, checkRedirectUris),
    ...faultOf('scopes', given.scopes, checkScopes),
    ...listFaults('ipWhitelist', given.ipWhitelist, checkIpWhitelist),
    ...faultOf('webhookEvents', given.webhookEvents, checkWebhookEvents),
    ...listFaults('allowedOrigins', given.allowedOrigins, checkAllowedOrigins),
  };
}

/** Faults of single entries, else that of the list as a whole. */
function listFaults(
  field: string,
  entries: readonly string[] | undefined,
  check: (entries: readonly string[]) => unknown,
): SettingsFaults {
  const faults = (entries ?? []).map((entry, i) => faultOf(`${field}.${i}`, [entry], check));
  const all: SettingsFaults = Object.assign({}, ...faults);
  return Object.keys(all).length > 0 ? all : faultOf(field, entries, check);
}

function faultOf<Value>(
  field: string,
  value: Value | undefined,
  check: (value: Value) => unknown,
): SettingsFaults {
  if (value === undefined) return {};
  try {
    check(value);
    return {};
  } catch (error) {
    const { kind, message } = toAppError(error);
    if (kind !== 'invalid_argument') throw error;
    return { [field]: message };
  }
}

/** An address from which an application called. */
interface Caller {
  readonly address: string;
  /** Milliseconds since 1970; undefined when nothing succeeded. */
  readonly lastSuccessAt: number | undefined;
}

/** What a whitelist would do, before it is saved. */
export interface WhitelistPreview<Of extends Caller> {
  /** By entry, as `ipWhitelist.2`. What follows is said of the entries without a fault. */
  readonly faults: SettingsFaults;
  /** Whether the person's own address would be let in. */
  readonly allowed: boolean;
  /** Callers with success that would not be let in any more; the latest success first. */
  readonly shutOut: readonly Of[];
}

/** Judges a whitelist by the addresses that called lately. */
export function previewWhitelist<Of extends Caller>(
  candidates: readonly string[],
  clientIp: string,
  callers: readonly Of[],
): WhitelistPreview<Of> {
  const faults = listFaults('ipWhitelist', candidates, checkIpWhitelist);
  const sound = candidates.filter((_, i) => faults[`ipWhitelist.${i}`] === undefined);
  const whitelist = sound.flatMap((entry) => checkIpWhitelist([entry]));
  const succeeded = callers.filter(({ lastSuccessAt }) => lastSuccessAt !== undefined);
  const shutOut = succeeded
    .filter(({ address }) => !isWhitelisted(whitelist, address))
    .sort((a, b) => (b.lastSuccessAt ?? 0) - (a.lastSuccessAt ?? 0));
  return { faults, allowed: isWhitelisted(whitelist, clientIp), shutOut };
}
