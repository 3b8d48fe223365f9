import { type AudienceOf, audiencesWith, isScope } from '@platform/protos/vocabulary';
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

const platformEventTypes = [...identityEventTypes, ...businessEventTypes, ...orderEventTypes] as const;

/** A type of the platform's own. */
export type EventType = (typeof platformEventTypes)[number];

/** The types of the API. */
export interface EventCatalogue {
  /** Sorted. */
  readonly types: readonly string[];
  /** Those of the operator's services. */
  readonly own: ReadonlySet<string>;
  readonly audienceOf: AudienceOf;
}

/** @param own types of the operator's documents */
export function catalogueWith(own: Parameters<typeof audiencesWith>[0]): EventCatalogue {
  const names = own.map(({ name }) => name);
  return {
    types: [...platformEventTypes, ...names].sort(),
    own: new Set(names),
    audienceOf: audiencesWith(own),
  };
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
  | { readonly kind: 'allowed'; readonly types: readonly string[] }
  /** Scopes that the credential lacks for the types that it asked for. */
  | { readonly kind: 'denied'; readonly missing: readonly string[] }
  /** A type that no application reads, whatever its scopes. */
  | { readonly kind: 'closed' };

/**
 * Types that a credential reads: those asked for if it may read each, else every type that it may. Events about an
 * application are read by that application and by the business, those about API keys by the business alone.
 */
export function readableTypes(
  { types, audienceOf }: EventCatalogue,
  asked: readonly string[] | undefined,
  { scopes, applicationId }: Reader,
): ReadableTypes {
  const isOpen = (type: string) => {
    const audience = audienceOf(type);
    if (isScope(audience)) return scopes.has(audience);
    return audience === 'application' || applicationId === undefined;
  };
  if (asked === undefined) return { kind: 'allowed', types: types.filter(isOpen) };
  const audiences = [...new Set(asked.map(audienceOf))];
  const missing = audiences.filter(isScope).filter((scope) => !scopes.has(scope));
  if (missing.length > 0) return { kind: 'denied', missing };
  return asked.every(isOpen) ? { kind: 'allowed', types: asked } : { kind: 'closed' };
}
