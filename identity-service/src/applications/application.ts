import { AppError } from '@platform/service-kit/app-error.ts';
import type { Actor } from '../platform/actor.ts';
import { type BusinessProfile, whyUnverified } from '../platform/businesses.ts';
import { isScope, scopes as knownScopes, type Scope } from '../platform/scope.ts';
import { bidiControls } from '../platform/text.ts';

/** Events of business-service that an application may choose, sorted. */
export const webhookEvents = [
  'business.banned',
  'business.unbanned',
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

/** What is kept of a client secret. */
export interface NewClientSecret {
  readonly id: string;
  readonly hash: Buffer;
  readonly lastFour: string;
}

/** An application to add, with its first secret. */
export interface NewApplication {
  readonly id: string;
  readonly clientId: string;
  readonly businessId: number;
  readonly settings: ApplicationSettings;
  readonly secret: NewClientSecret;
}

const maxDescriptionLength = 500;

/** The description without blanks around it. @throws AppError unless it has 1 to 500 characters */
export function checkDescription(candidate: string): string {
  const description = candidate.trim();
  const length = [...description].length;
  const controls = /[^\P{Cc}\n\r\t]/u;
  if (
    length < 1 ||
    length > maxDescriptionLength ||
    controls.test(description) ||
    bidiControls.test(description)
  ) {
    throw new AppError(
      'invalid_argument',
      'invalid_description',
      `description must have 1 to ${maxDescriptionLength} characters`,
    );
  }
  return description;
}

/** Applications that a business may have (contract 8). */
export const maxApplications = 3;

/** @param existing applications that the business has. @throws AppError when one more would be too many */
export function checkRoomForApplication(existing: number): void {
  if (existing >= maxApplications) {
    throw new AppError(
      'failed_precondition',
      'application_limit_reached',
      `a business has at most ${maxApplications} applications`,
    );
  }
}

/** No such application, or another business's: a caller cannot tell. */
export function applicationNotFound(): AppError {
  return new AppError('not_found', 'application_not_found', 'no such application');
}

/** Names one application of one business. */
export interface ApplicationReference {
  readonly businessId: number;
  readonly applicationId: string;
}

/** A change of one application, and who asks for it. */
export interface ApplicationChange extends ApplicationReference {
  readonly actor: Actor;
}

/** The scopes that an application may ask for, sorted. @throws AppError when there are none, or unknown or repeated ones */
export function checkScopes(candidates: readonly string[]): Scope[] {
  if (candidates.length === 0) {
    throw new AppError('invalid_argument', 'scopes_required', 'an application needs at least one scope');
  }
  const known = candidates.filter(isScope);
  if (known.length < candidates.length) {
    throw new AppError('invalid_argument', 'unknown_scope', `scopes must be among ${knownScopes.join(', ')}`);
  }
  if (new Set(known).size < known.length) {
    throw new AppError('invalid_argument', 'duplicate_scope', 'a scope is given twice');
  }
  return known.sort();
}

const maxLimit = 1_000_000;

/** @throws AppError unless it is 1 to 1,000,000 */
export function checkConnectedUserLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw new AppError('invalid_argument', 'invalid_limit', `limit must be 1 to ${maxLimit} connected users`);
  }
  return limit;
}

/** Whether one more business may connect. */
export function hasRoom({
  connectedUsers,
  connectedUserLimit,
}: {
  readonly connectedUsers: number;
  readonly connectedUserLimit: number;
}): boolean {
  return connectedUsers < connectedUserLimit;
}

/** What keeps a business from registering one more application. */
interface RegistrationObstacle {
  readonly reason: 'business_not_verified' | 'application_limit_reached';
  readonly text: string;
}

/**
 * Undefined when nothing does, as far as is known.
 * @param business undefined when business-service does not say
 * @param existing applications that the business has
 */
export function findRegistrationObstacle(
  business: BusinessProfile | undefined,
  existing: number,
): RegistrationObstacle | undefined {
  const unverified = business && whyUnverified(business);
  if (unverified !== undefined) return { reason: 'business_not_verified', text: unverified };
  if (existing < maxApplications) return undefined;
  return {
    reason: 'application_limit_reached',
    text: `a business has at most ${maxApplications} applications`,
  };
}
