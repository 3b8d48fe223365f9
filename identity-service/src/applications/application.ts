import type { Scope } from '../authorization/scope.ts';
import type { WebhookEvent } from './webhook-event.ts';

/** What the owner decides about an application (contract 2.2), in the form in which it is kept. */
export interface ApplicationSettings {
  readonly name: string;
  readonly description: string;
  readonly redirectUris: readonly string[];
  /** Sorted. */
  readonly scopes: readonly Scope[];
  /** Addresses and networks, normalised. */
  readonly ipWhitelist: readonly string[];
  readonly webhooksEnabled: boolean;
  /** Sorted. */
  readonly webhookEvents: readonly WebhookEvent[];
  /** Origins whose pages may call the API with its access tokens. */
  readonly allowedOrigins: readonly string[];
}

/** A live client secret, without the secret. Times are milliseconds since 1970. */
export interface ClientSecret {
  readonly id: string;
  readonly lastFour: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

/** A registered application as it was read. Times are milliseconds since 1970. */
export interface Application extends ApplicationSettings {
  readonly id: string;
  /** Client ID of OAuth; public. */
  readonly clientId: string;
  /** Owner. */
  readonly businessId: number;
  /** Live Grants that it may have. */
  readonly connectedUserLimit: number;
  /** Live Grants that it has. */
  readonly connectedUsers: number;
  /** At most two, oldest first. */
  readonly secrets: readonly ClientSecret[];
  readonly createdAt: number;
  readonly updatedAt: number;
}
