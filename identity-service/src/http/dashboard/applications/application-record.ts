import type { Application } from '../../../applications/application.ts';

/** An application as answers carry it. */
export function applicationRecord(application: Application) {
  return {
    ...application,
    redirectUris: [...application.redirectUris],
    scopes: [...application.scopes],
    ipWhitelist: [...application.ipWhitelist],
    webhookEvents: [...application.webhookEvents],
    allowedOrigins: [...application.allowedOrigins],
    secrets: [...application.secrets],
  };
}
