import type { Scope } from '@platform/protos/vocabulary';
import type { BusinessEventType } from '../businesses/business.ts';
import type { OrderEventType } from '../orders/operations.ts';
import type { Instant } from '../values.ts';

export type EventType = BusinessEventType | OrderEventType;

/** The scope that covers the resource of an event. */
const scopeByType: Readonly<Record<EventType, Scope>> = {
  'business.banned': 'business:read',
  'business.created': 'business:read',
  'business.unbanned': 'business:read',
  'business.verification_rejected': 'business:read',
  'business.verification_submitted': 'business:read',
  'business.verified': 'business:read',
  'order.cancelled': 'orders:read',
  'order.created': 'orders:read',
  'order.fulfilled': 'orders:read',
  'order.paid': 'orders:read',
  'order.updated': 'orders:read',
};

/** Every type, sorted. */
export const eventTypes: readonly EventType[] = Object.keys(scopeByType).filter(isEventType);

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(scopeByType, text);
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

export type TypesForScopes =
  | { readonly kind: 'allowed'; readonly types: readonly EventType[] }
  /** Scopes that the credential lacks for the types that it asked for. */
  | { readonly kind: 'denied'; readonly missing: readonly Scope[] };

/** Types that a credential reads: those asked for if its scopes cover each, else every type that they cover. */
export function typesForScopes(
  asked: readonly EventType[] | undefined,
  scopes: ReadonlySet<string>,
): TypesForScopes {
  const types = asked ?? eventTypes.filter((type) => scopes.has(scopeByType[type]));
  const needed = (types.length === 0 ? eventTypes : types).map((type) => scopeByType[type]);
  const missing = [...new Set(needed)].filter((scope) => !scopes.has(scope));
  return missing.length > 0 ? { kind: 'denied', missing } : { kind: 'allowed', types };
}
