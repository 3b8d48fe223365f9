import type { Actor } from '../../platform/actor.ts';

/** Causes of suspensions that are stored as rows. Each is lifted by the side that suspended. */
export type ChosenCause = 'operator' | 'publisher';

/** Why an application is suspended. `ban`: business-service has banned its publisher. */
export type SuspensionCause = ChosenCause | 'ban';

/** One cause, as the publisher sees it. */
export interface Suspension {
  readonly cause: SuspensionCause;
  /** Why; may be empty. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly suspendedAt: number;
}

/** Which part is suspended, so that an access token cannot be used. */
export type Suspended = 'application' | 'connection';

/** Error descriptions of the token endpoint. */
export const suspendedTexts: Readonly<Record<Suspended, string>> = {
  application: 'the application is suspended: its tokens and connections stay, and work again afterwards',
  connection:
    'the business has suspended its connection with the application: its tokens stay, and work again afterwards',
};

/** Actor of a change in the audit log of the other side, without the name and address of a person. */
export function foreignActor({ kind, id, requestId }: Actor, clientId: string): Actor {
  const actor = kind === 'person' ? { kind: 'application' as const, id: clientId } : { kind, id };
  return { ...actor, clientIp: undefined, requestId };
}
