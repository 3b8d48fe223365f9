/** A business that lets no API request in until one of its owners lifts the freeze. */
export interface Freeze {
  readonly businessId: number;
  /** Milliseconds since 1970. */
  readonly frozenAt: number;
  /** Who froze it. */
  readonly personId: string;
  /** What they gave as the reason; may be empty. */
  readonly reason: string;
}
