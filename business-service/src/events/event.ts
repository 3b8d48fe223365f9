import { type EventScope, eventAudience, isEventScope } from '@platform/protos/vocabulary';
import type { Instant } from '../values.ts';

/** Types that identity-service appends. */
export const identityEventTypes = [
  'api_key.expired',
  'api_key.expiring',
  'application.connected',
  'application.disconnected',
] as const;

const businessEventTypes = [
  'business.banned',
  'business.created',
  'business.unbanned',
  'business.updated',
  'business.verification_rejected',
  'business.verification_submitted',
  'business.verified',
] as const;

export type BusinessEventType = (typeof businessEventTypes)[number];

const orderEventTypes = [
  'order.cancelled',
  'order.created',
  'order.fulfilled',
  'order.paid',
  'order.updated',
] as const;

export type OrderEventType = (typeof orderEventTypes)[number];

/** Every type, sorted. */
export const eventTypes = [...identityEventTypes, ...businessEventTypes, ...orderEventTypes] as const;

export type EventType = (typeof eventTypes)[number];

const known: ReadonlySet<string> = new Set(eventTypes);

export function isEventType(text: string): text is EventType {
  return known.has(text);
}

/** A stored event. */
export interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Instant;
  readonly sequence: number;
  /** The payload as it is stored: JSON text. */
  readonly data: string;
}

/** The credential that reads a feed, as its passport describes it. */
export interface Reader {
  readonly scopes: ReadonlySet<string>;
  /** Of an access token; undefined for an API key of the business. */
  readonly applicationId: string | undefined;
}

export type ReadableTypes =
  | { readonly kind: 'allowed'; readonly types: readonly EventType[] }
  /** Scopes that the credential lacks for the types that it asked for. */
  | { readonly kind: 'denied'; readonly missing: readonly EventScope[] }
  /** A type that no application reads, whatever its scopes. */
  | { readonly kind: 'closed' };

/**
 * Types that a credential reads: those asked for if it may read each, else every type that it may. Events about an
 * application are read by that application and by the business, those about API keys by the business alone.
 */
export function readableTypes(asked: readonly EventType[] | undefined, reader: Reader): ReadableTypes {
  if (asked === undefined)
    return { kind: 'allowed', types: eventTypes.filter((type) => isOpen(type, reader)) };
  const audiences = [...new Set(asked.map(eventAudience))];
  const missing = audiences.filter(isEventScope).filter((scope) => !reader.scopes.has(scope));
  if (missing.length > 0) return { kind: 'denied', missing };
  return asked.every((type) => isOpen(type, reader)) ? { kind: 'allowed', types: asked } : { kind: 'closed' };
}

function isOpen(type: EventType, { scopes, applicationId }: Reader): boolean {
  const audience = eventAudience(type);
  if (isEventScope(audience)) return scopes.has(audience);
  return audience === 'application' || applicationId === undefined;
}
