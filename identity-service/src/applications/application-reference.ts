import type { Actor } from '../audit/audit-event.ts';

/** Names one application of one business. */
export interface ApplicationReference {
  readonly businessId: number;
  readonly applicationId: string;
}

/** A change of one application, and who asks for it. */
export interface ApplicationChange extends ApplicationReference {
  readonly actor: Actor;
}
