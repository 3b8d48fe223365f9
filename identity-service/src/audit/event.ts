/** What an event is about, as far as it can still be named. */
export interface RecordedSubject {
  /** First part of the action, as `api_key`. */
  readonly kind: string;
  readonly id: string;
  /** As it is called now or, where it is gone, as it was called then. */
  readonly name: string | undefined;
  /** Whether the business can still look at it. */
  readonly exists: boolean;
}

/** Who did it. */
export interface RecordedActor {
  readonly kind: 'operator' | 'person' | 'application' | 'system';
  readonly id: string;
  /** Of a person or an application that still exists. */
  readonly name: string | undefined;
  readonly email: string | undefined;
}

/** An event as it is read from the audit log. */
export interface RecordedEvent {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: RecordedActor;
  readonly clientIp: string | undefined;
  readonly requestId: string;
  /** What happened, `subject.verb`. */
  readonly action: string;
  readonly subject: RecordedSubject;
  /** As in `AuditEvent`. */
  readonly details: Readonly<Record<string, unknown>>;
}
