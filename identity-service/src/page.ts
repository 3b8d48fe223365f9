/** A place in a list that has the newest first: behind the entry with this moment and id. */
export interface Position {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
}

/** A page of such a list. */
export interface Page {
  /** Entries at most. */
  readonly limit: number;
  /** The first page where undefined. */
  readonly after: Position | undefined;
}
