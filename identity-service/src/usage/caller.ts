/** An API key or a connected application, as those see it for whom it acts. */
export interface Caller {
  /** What its requests are counted under. */
  readonly limitId: string;
  readonly kind: 'api_key' | 'application';
  /** The API key or the application; the limit id where it is gone. */
  readonly id: string;
  /** undefined where it is gone. */
  readonly name: string | undefined;
  /** Whether it may still act. */
  readonly exists: boolean;
  /** Whether the business looks after it: its API key, or an application that it has registered itself. */
  readonly isOwn: boolean;
}

/** Who stands behind limit ids of a business, in their order. */
export type FindCallers = (businessId: number, limitIds: readonly string[]) => Promise<readonly Caller[]>;

/** A caller that is gone: its limit id still tells what it was. */
export function goneCaller(limitId: string): Caller {
  const kind = limitId.startsWith('key_') ? 'api_key' : 'application';
  return { limitId, kind, id: limitId, name: undefined, exists: false, isOwn: false };
}
