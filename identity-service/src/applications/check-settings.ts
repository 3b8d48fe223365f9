import { checkName } from '../name.ts';
import { checkAllowedOrigins } from './allowed-origin.ts';
import type { ApplicationSettings } from './application.ts';
import { checkDescription } from './application-label.ts';
import { checkScopes } from './application-scopes.ts';
import { checkIpWhitelist } from './ip-whitelist.ts';
import { checkRedirectUris } from './redirect-uri.ts';
import { checkWebhookEvents } from './webhook-event.ts';

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
