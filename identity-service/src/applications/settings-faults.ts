import { toAppError } from '@platform/service-kit/app-error.ts';
import { checkName } from '../name.ts';
import { checkAllowedOrigins } from './allowed-origin.ts';
import { checkDescription } from './application-label.ts';
import { checkScopes } from './application-scopes.ts';
import type { SettingsUpdate } from './check-update.ts';
import { checkIpWhitelist } from './ip-whitelist.ts';
import { checkRedirectUris } from './redirect-uri.ts';
import { checkWebhookEvents } from './webhook-event.ts';

/** What is wrong with each field: `name`, or `ipWhitelist.2` where one entry of a list is. */
export type SettingsFaults = Readonly<Record<string, string>>;

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
export function listFaults(
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
