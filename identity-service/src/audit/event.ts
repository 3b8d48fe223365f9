/** Name of a person whose account was deleted. */
export const deletedAccount = 'Deleted account';

/** Subject of an event. */
interface RecordedSubject {
  /** First part of the action, such as `api_key`. */
  readonly kind: string;
  readonly id: string;
  /** Name at the time of the event; the current name of a person, and of a subject whose event has no name. */
  readonly name: string | undefined;
  /** True while the business can view it. */
  readonly exists: boolean;
}

/** Actor of an event. */
export interface RecordedActor {
  readonly kind: 'operator' | 'person' | 'application' | 'system';
  readonly id: string;
  /** Of a person or an application that still exists. */
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** Event of the audit log. */
export interface RecordedEvent {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: RecordedActor;
  readonly clientIp: string | undefined;
  readonly requestId: string;
  /** `subject.verb`. */
  readonly action: string;
  readonly subject: RecordedSubject;
  /** As in `AuditEvent`. */
  readonly details: Readonly<Record<string, unknown>>;
}
