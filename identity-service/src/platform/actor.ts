/** Actor of a change. */
export interface Actor {
  readonly kind: 'operator' | 'person' | 'application' | 'system';
  /** Login, identifier of the person, or client ID of the application. */
  readonly id: string;
  /** Address that the change was asked from, when there is one. */
  readonly clientIp: string | undefined;
  /** Identifier of the request, to find its log lines. */
  readonly requestId: string;
  /** Set for an operator in the console, whose id is that of a person; the id of any other operator is a login. */
  readonly via?: 'console';
}

/** The person who acts; undefined for any other actor. */
export function personOf({ kind, id }: Pick<Actor, 'kind' | 'id'>): string | undefined {
  return kind === 'person' ? id : undefined;
}

/** A value as JSON can hold it; undefined fields are left out. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [field: string]: Json | undefined;
}

/** Audit record of a change, written in its transaction. Never holds a secret. */
export interface AuditEvent {
  readonly actor: Actor;
  readonly businessId: number;
  /** `subject.verb`. */
  readonly action: string;
  /** Identifier of what was changed. */
  readonly subjectId: string;
  /** Fields that changed: value before and after, or the values of what was made. */
  readonly details: JsonObject;
  /** Details for notices only. Notices are deleted with the account; the audit log is never changed. */
  readonly noticeDetails?: JsonObject;
  /** The person who gets a separate email about it, and therefore none for the notice. */
  readonly emailed?: string | undefined;
  /** Details for the log of operators alone. */
  readonly operatorDetails?: JsonObject;
}

/** The same record for each of several businesses. */
export type SharedAuditEvent = Omit<AuditEvent, 'businessId' | 'operatorDetails'>;
