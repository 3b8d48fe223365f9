import { AppError } from '@platform/service-kit/values/app-error.ts';
import { type BusinessProfile, whyUnverified } from '../../clients/business.ts';
import type { Actor } from '../../platform/actor.ts';
import type { Suspension } from '../suspensions/suspension.ts';
import type { ApplicationSettings } from './settings.ts';

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
  /** Reasons why it is suspended, oldest first; empty when it is not. */
  readonly suspensions: readonly Suspension[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A client secret as it is stored. */
export interface NewClientSecret {
  readonly id: string;
  readonly hash: Buffer<ArrayBuffer>;
  readonly lastFour: string;
  /** The person to whom it is shown; undefined for an operator. */
  readonly createdBy: string | undefined;
}

/** An application to add, with its first secret. */
export interface NewApplication {
  readonly id: string;
  readonly clientId: string;
  readonly businessId: number;
  readonly settings: ApplicationSettings;
  readonly secret: NewClientSecret;
}

/** Applications that a business may have (contract 8). */
export const maxApplications = 3;

/** @param existing applications that the business has. @throws AppError when one more would be too many */
export function checkRoomForApplication(existing: number): void {
  if (existing >= maxApplications) {
    throw new AppError(
      'failed_precondition',
      'application_limit_reached',
      `a business has at most ${maxApplications} apps`,
    );
  }
}

/** The same error for a missing application and for one of another business. */
export function applicationNotFound(): AppError {
  return new AppError('not_found', 'application_not_found', 'no such application');
}

/** Names one application of one business. */
export interface ApplicationReference {
  readonly businessId: number;
  readonly applicationId: string;
}

/** A change of one application, with its actor. */
export interface ApplicationChange extends ApplicationReference {
  readonly actor: Actor;
}

const maxLimit = 1_000_000;

/** @throws AppError unless it is 1 to 1,000,000 */
export function checkConnectedUserLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    const text = `limit must be 1 to ${maxLimit.toLocaleString('en')} connected users`;
    throw new AppError('invalid_argument', 'invalid_limit', text);
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

/** Reason why a business cannot register one more application. */
interface RegistrationObstacle {
  readonly reason: 'business_not_verified' | 'application_limit_reached';
  readonly text: string;
}

/**
 * Undefined when there is no known reason.
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
    text: `a business has at most ${maxApplications} apps`,
  };
}
