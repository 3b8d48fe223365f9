import { AppError } from '@platform/service-kit/app-error.ts';
import type { ApplicationSettings } from './application.ts';
import { checkSettings, type RequestedSettings } from './check-settings.ts';

/** What a caller asks to change; absent fields stay as they are. */
export type SettingsUpdate = {
  readonly [Field in keyof RequestedSettings]?: RequestedSettings[Field] | undefined;
};

/** A change that the rules allow. */
export interface AllowedUpdate {
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
