import type { AuditEvent } from '../audit/audit-event.ts';
import type { RaisedGeneration } from '../generations/propagate-all.ts';
import type { Application, ApplicationSettings } from './application.ts';

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

/** Where applications are kept. */
export interface ApplicationStore {
  find(businessId: number, id: string): Promise<Application | undefined>;
  /** Newest first. */
  list(businessId: number): Promise<Application[]>;
  /** Every origin that some application allows, once, at most 5,000: beyond them the youngest are left out. */
  allowedOrigins(): Promise<string[]>;
  /** Runs `work` in one transaction: all of it happens, or nothing. */
  inTransaction<T>(work: (transaction: ApplicationTransaction) => Promise<T>): Promise<T>;
}

/** What one transaction can do. Changes of rows that it holds resolve to the application as it stands afterwards. */
export interface ApplicationTransaction {
  /** Counts a business's applications, and lets nobody add one until the transaction ends. */
  lockCount(businessId: number): Promise<number>;
  insert(application: NewApplication): Promise<Application>;
  /** Reads an application and keeps others from changing it, its secrets and its Grants' number until the end. */
  lock(businessId: number, id: string): Promise<Application | undefined>;
  setSettings(id: string, settings: ApplicationSettings): Promise<Application>;
  setConnectedUserLimit(id: string, limit: number): Promise<Application>;
  addSecret(id: string, secret: NewClientSecret): Promise<Application>;
  removeSecrets(id: string, secretIds: readonly string[]): Promise<Application>;
  /** Removes the application and everything that hangs off it. */
  remove(id: string): Promise<void>;
  /** The businesses with a live Grant, which are held until the end. Call it before `remove`. */
  connectedBusinesses(id: string): Promise<number[]>;
  /** Raises the credential generation of each. Call it last: it is what transactions meet on. */
  raiseGenerations(businessIds: readonly number[]): Promise<RaisedGeneration[]>;
  audit(event: AuditEvent): Promise<void>;
}
