import type { Application } from '../../applications/application.ts';
import type { AuditEvent } from '../../audit/audit-event.ts';
import type { Scope } from '../../authorization/scope.ts';

/** A live Grant, as far as approving goes. */
export interface LiveGrant {
  readonly id: string;
  readonly businessId: number;
  readonly scopes: readonly Scope[];
}

/** A code to add. */
export interface NewCode {
  readonly hash: Buffer;
  readonly grantId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly scopes: readonly Scope[];
  readonly lifetimeSeconds: number;
}

/** Where authorization finds applications, owners and Grants. */
export interface AuthorizationStore {
  findApplication(clientId: string): Promise<Application | undefined>;
  /** Businesses that a person may approve for, as their owner. */
  ownedBusinesses(personId: string): Promise<number[]>;
  liveGrants(applicationId: string, businessIds: readonly number[]): Promise<LiveGrant[]>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: AuthorizationTransaction) => Promise<T>): Promise<T>;
}

/** What one transaction can do. */
export interface AuthorizationTransaction {
  /** Marks a consent as answered. False when it has been. */
  answerConsent(id: string): Promise<boolean>;
  /** Reads an application and lets nobody change it, or approve it for somebody else, until the end. */
  lockApplication(id: string): Promise<Application | undefined>;
  isOwner(personId: string, businessId: number): Promise<boolean>;
  findLiveGrant(applicationId: string, businessId: number): Promise<LiveGrant | undefined>;
  insertGrant(grant: {
    readonly id: string;
    readonly applicationId: string;
    readonly businessId: number;
    readonly personId: string;
    readonly scopes: readonly Scope[];
  }): Promise<void>;
  /** Notes a new approval with everything that is approved by now. */
  approveAgain(id: string, personId: string, scopes: readonly Scope[]): Promise<void>;
  insertCode(code: NewCode): Promise<void>;
  audit(event: AuditEvent): Promise<void>;
}
