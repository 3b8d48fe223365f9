import type { Actor } from '../../platform/actor.ts';

/** Causes that a row stands for; each is lifted by the side that made it. */
export type ChosenCause = 'operator' | 'publisher';

/** Why an application may not act for the moment. `ban`: business-service has banned its publisher. */
export type SuspensionCause = ChosenCause | 'ban';

/** One cause, as the publisher sees it. */
export interface Suspension {
  readonly cause: SuspensionCause;
  /** Why; may be empty. */
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly suspendedAt: number;
}

/** The part that keeps an access token from being used for the moment. */
export type Suspended = 'application' | 'connection';

/** Error descriptions of the token endpoint. */
export const suspendedTexts: Readonly<Record<Suspended, string>> = {
  application: 'the application is suspended: its tokens and connections stay, and work again afterwards',
  connection:
    'the business has suspended its connection with the application: its tokens stay, and work again afterwards',
};

/** Actor of the same change in the audit log of the other side, which learns no person's name and address. */
export function foreignActor({ kind, id, requestId }: Actor, clientId: string): Actor {
  const actor = kind === 'person' ? { kind: 'application' as const, id: clientId } : { kind, id };
  return { ...actor, clientIp: undefined, requestId };
}
