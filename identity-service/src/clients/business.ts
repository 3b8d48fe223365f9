import { toAppError } from '@platform/service-kit/values/app-error.ts';
import type { Actor } from '../platform/actor.ts';

/** An event for the feed of a business. */
export interface FeedEvent {
  readonly id: string;
  readonly type: string;
  /** JSON text. */
  readonly data: string;
  /** The only application that may receive it. */
  readonly applicationId: string | undefined;
}

/**
 * Appends events to the feed of a business in their order. Events that it already has are skipped.
 * @throws AppError unavailable when business-service does not respond
 */
export type AppendEvents = (businessId: number, events: readonly FeedEvent[]) => Promise<void>;

/** The author of the change that an event is about. */
export interface EventAuthor {
  /** Whether the event is kept. */
  readonly isKept: boolean;
  /** API key, application, or person; empty for none, and of an event that is not kept. */
  readonly credentialId: string;
}

/** @throws AppError unavailable when business-service does not respond */
export type FindAuthor = (
  event: { readonly businessId: number; readonly eventId: string },
  requestId: string,
) => Promise<EventAuthor>;

/** A business to create. */
export interface BusinessDraft {
  /** Display name. */
  readonly accountHolder: string;
  readonly username: string;
}

/** The legal entity behind a business, as its owner submits it. */
export interface LegalFacts {
  readonly legalName: string;
  readonly registrationNumber: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** The author of a change of a business: business-service keeps the person beside the event. */
type Author = Pick<Actor, 'kind' | 'id' | 'requestId'>;

/**
 * Submits the facts to business-service. `not_now`: the verification is pending or already approved.
 * @throws AppError unavailable when business-service does not respond
 */
export type SubmitVerification = (
  businessId: number,
  facts: LegalFacts,
  author: Author,
) => Promise<'submitted' | 'not_now'>;

/** Where the verification of a business stands. */
export type VerificationState = 'unverified' | 'pending' | 'verified' | 'rejected';

/** Record of a business in business-service. */
export interface BusinessProfile {
  readonly id: number;
  /** Display name. */
  readonly accountHolder: string;
  readonly username: string;
  readonly verification: VerificationState;
  /** Why verification was refused; empty otherwise. */
  readonly rejectionReason: string;
}

/** The complete business from business-service. Times are milliseconds since 1970. */
export interface BusinessRecord extends BusinessProfile {
  /** Public unique identifier. */
  readonly uniqueId: string;
  /** URL of a picture; may be empty. */
  readonly logo: string;
  readonly isBanned: boolean;
  readonly createdAt: number;
  /** When the username may be changed; undefined when it was never changed. */
  readonly usernameChangeableAt: number | undefined;
  /** Last submitted facts of the verification. */
  readonly facts: LegalFacts | undefined;
  readonly submittedAt: number | undefined;
  readonly decidedAt: number | undefined;
}

/** Fetches a business; undefined when it does not exist. @throws AppError unavailable without a response */
export type FindBusiness = (businessId: number, requestId: string) => Promise<BusinessProfile | undefined>;

/** The same with all details. */
export type FindBusinessRecord = (
  businessId: number,
  requestId: string,
) => Promise<BusinessRecord | undefined>;

/** Verified businesses of other legal entities with a name that looks like one of these. @throws AppError unavailable */
export type FindLookalikes = (
  businessId: number,
  names: readonly string[],
  requestId: string,
) => Promise<readonly BusinessRecord[]>;

/** Changes of a record; absent fields stay. */
export interface RecordChanges {
  /** Display name. */
  readonly accountHolder?: string;
  readonly username?: string;
  /** URL; empty for none. */
  readonly logo?: string;
}

/** A record before and after a change. */
export interface ChangedRecord {
  readonly previous: BusinessRecord;
  readonly business: BusinessRecord;
}

/** @throws AppError username_taken, username_locked, business_banned; unavailable without a response */
export type UpdateRecord = (
  businessId: number,
  changes: RecordChanges,
  author: Author,
) => Promise<ChangedRecord>;

/** A decision about the verification of a business. */
export interface VerificationDecision {
  readonly businessId: number;
  /** Why it is rejected; undefined approves it. */
  readonly reason: string | undefined;
  /** Milliseconds since 1970 of the submission that was read; any where absent. */
  readonly submittedAt?: number | undefined;
}

/** @throws AppError wrong_verification_status, verification_resubmitted; unavailable without a response */
export type DecideVerification = (decision: VerificationDecision, requestId: string) => Promise<void>;

/** Why a business may neither register nor authorize applications (contract 5.1); undefined when it may. */
export function whyUnverified({ verification, rejectionReason }: BusinessProfile): string | undefined {
  switch (verification) {
    case 'verified':
      return undefined;
    case 'pending':
      return 'the verification of the business is not decided yet';
    case 'rejected':
      return `the verification of the business was rejected: ${rejectionReason}`;
    case 'unverified':
      return 'the business is not verified as a legal entity';
  }
}

/** A business to create in business-service. A repetition with the same key resolves to the business created before. */
interface NewBusiness extends BusinessDraft {
  readonly creationKey: string;
  /** URL of a picture; none where absent. */
  readonly logo?: string;
  readonly isSandbox?: boolean;
}

/** @throws AppError unavailable when business-service does not respond */
export type CreateBusiness = (
  business: NewBusiness,
  requestId: string,
) => Promise<{ readonly kind: 'created'; readonly businessId: number } | { readonly kind: 'username_taken' }>;

/** Bans and their ends, in the order in which they were committed. */
export interface BanChanges {
  /** Each business once, with the sequence of its last change. */
  readonly changes: readonly {
    readonly businessId: number;
    readonly isBanned: boolean;
    readonly sequence: number;
  }[];
  /** Sequence of the last listed change, or of the last change at all. Below `after` if business-service was restored. */
  readonly lastSequence: number;
}

/** At most `limit` changes after a sequence. @throws AppError unavailable when business-service does not respond */
export type ListBanChanges = (
  page: { readonly after: number; readonly limit: number },
  requestId: string,
) => Promise<BanChanges>;

/** Businesses for operators. */
export interface BusinessSearch {
  /** Only those in this state; pending ones the longest first, otherwise the newest first. */
  readonly verification?: VerificationState | undefined;
  /** Only banned ones. */
  readonly banned?: boolean | undefined;
  /** A part of a name, or a whole id, unique id or registration number; empty for all. */
  readonly text: string;
  readonly limit: number;
}

/** @throws AppError unavailable when business-service does not respond */
export type SearchBusinesses = (
  search: BusinessSearch,
  requestId: string,
) => Promise<{ readonly businesses: readonly BusinessRecord[]; readonly hasMore: boolean }>;

/** Bans a business or lifts its ban; does nothing if that is already its state. @throws AppError not_found, unavailable */
export type SetBan = (businessId: number, isBanned: boolean, requestId: string) => Promise<void>;

/** Invented orders of sandboxes. @throws AppError not_a_sandbox; unavailable when business-service does not respond */
export interface SandboxOrders {
  add(businessId: number, orders: { readonly count: number; readonly inAllStates: boolean }): Promise<void>;
  removeAll(businessId: number): Promise<void>;
}

/** Result of the erasure of a customer. */
export interface CustomerErasure {
  /** Orders that were changed. */
  readonly orders: number;
  /** Events that were rewritten. */
  readonly events: number;
  /** Otherwise the call is to be repeated. */
  readonly isComplete: boolean;
}

/** @throws AppError invalid_email, business_banned; unavailable when business-service does not respond */
export type EraseCustomer = (businessId: number, email: string, author: Author) => Promise<CustomerErasure>;

/** Client of business-service. */
export interface BusinessLookup {
  /** @throws AppError unavailable when business-service does not respond */
  exists(businessId: number, requestId: string): Promise<boolean>;
  readonly find: FindBusinessRecord;
  readonly findLookalikes: FindLookalikes;
  readonly create: CreateBusiness;
  readonly updateRecord: UpdateRecord;
  readonly submitVerification: SubmitVerification;
  readonly decideVerification: DecideVerification;
  /** Those of these businesses that are banned. @throws AppError unavailable when business-service does not respond */
  findBanned(businessIds: readonly number[], requestId: string): Promise<ReadonlySet<number>>;
  readonly listBanChanges: ListBanChanges;
  readonly search: SearchBusinesses;
  readonly setBan: SetBan;
  readonly appendEvents: AppendEvents;
  readonly findAuthor: FindAuthor;
  readonly sandboxOrders: SandboxOrders;
  readonly eraseCustomer: EraseCustomer;
  close(): void;
}

/** Fetches several businesses, by id. Missing ones are left out; all are while business-service does not respond. */
export async function findBusinesses(
  find: FindBusiness,
  businessIds: readonly number[],
  requestId: string,
): Promise<ReadonlyMap<number, BusinessProfile>> {
  const profiles = await Promise.all(
    [...new Set(businessIds)].map((id) => find(id, requestId).catch(absentWhenUnavailable)),
  );
  const known = profiles.filter((profile) => profile !== undefined);
  return new Map(known.map((profile) => [profile.id, profile]));
}

function absentWhenUnavailable(error: unknown): undefined {
  if (toAppError(error).kind !== 'unavailable') throw error;
}
