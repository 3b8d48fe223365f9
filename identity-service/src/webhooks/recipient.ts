import type { AudienceOf } from '@platform/protos/vocabulary';
import { type MakerRights, typesBeyond } from './maker.ts';

/** An event and the application that would receive it. */
export interface Recipient {
  /** Empty for an endpoint of the business itself. */
  readonly applicationId: string;
  /** The business whose event it is. */
  readonly businessId: number;
  /** Type of the event; empty for any, as of a test event. */
  readonly type: string;
  /** The person who made the endpoint; empty where none is known. */
  readonly madeBy: string;
}

/** The parts of an application that matter for webhooks. */
export interface Subscriber {
  readonly id: string;
  /** Its publisher. */
  readonly businessId: number;
  readonly webhooksEnabled: boolean;
  /** Types that it chose. */
  readonly webhookEvents: readonly string[];
  readonly isSuspended: boolean;
}

/** A live Grant. */
export interface LiveGrant {
  readonly applicationId: string;
  readonly businessId: number;
  readonly scopes: readonly string[];
  /** Whether the business has suspended it. */
  readonly isSuspended: boolean;
}

/** State by which recipients are decided. */
export interface RecipientFacts {
  readonly subscribers: ReadonlyMap<string, Subscriber>;
  readonly grants: readonly LiveGrant[];
  /** By `makerKey`. */
  readonly makers: ReadonlyMap<string, MakerRights>;
  readonly frozen: ReadonlySet<number>;
  readonly banned: ReadonlySet<number>;
  readonly audienceOf: AudienceOf;
}

/** Key of a person who made an endpoint of a business. */
export const makerKey = (personId: string, businessId: number): string => `${personId} ${businessId}`;

/**
 * Whether an event may be sent now: the application has chosen its type, and both the application and the maker of the
 * endpoint could read its resource. Of a banned business, only its own record can be read. Nothing is sent while the business
 * is frozen or the application is suspended. The end of its connection is the one event that needs no connection.
 */
export function mayReceive(recipient: Recipient, facts: RecipientFacts): boolean {
  const { applicationId, businessId, type } = recipient;
  if (isClosed(businessId, type, facts)) return false;
  if (applicationId === '') return isMakers(recipient, businessId, facts);
  const application = facts.subscribers.get(applicationId);
  if (application === undefined || !isMakers(recipient, application.businessId, facts)) return false;
  if (!application.webhooksEnabled || application.isSuspended) return false;
  if (type !== '' && !application.webhookEvents.includes(type)) return false;
  if (facts.audienceOf(type) === 'business') return false;
  if (application.businessId === businessId) return true;
  if (isClosed(application.businessId, '', facts)) return false;
  if (type === 'application.disconnected') return true;
  return facts.grants.some(
    (grant) =>
      grant.applicationId === applicationId &&
      grant.businessId === businessId &&
      !grant.isSuspended &&
      covers(grant.scopes, facts.audienceOf(type)),
  );
}

/** Whether the maker of the endpoint may have the event. @param ownerId the business that owns the endpoint */
function isMakers({ madeBy, type }: Recipient, ownerId: number, facts: RecipientFacts): boolean {
  const maker = facts.makers.get(makerKey(madeBy, ownerId));
  return maker === undefined || typesBeyond(facts, maker, [type]).length === 0;
}

function isClosed(businessId: number, type: string, { frozen, banned, audienceOf }: RecipientFacts): boolean {
  if (frozen.has(businessId)) return true;
  return banned.has(businessId) && audienceOf(type) !== 'business:read';
}

function covers(scopes: readonly string[], audience: ReturnType<AudienceOf>): boolean {
  return audience === 'application' || (audience !== undefined && scopes.includes(audience));
}
