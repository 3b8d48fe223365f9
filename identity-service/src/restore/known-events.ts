import { randomUUID } from 'node:crypto';
import type { AuditPosition, LogMark, LogPosition } from './log.ts';
import type { LoggedEvent } from './revocation.ts';

/** Milliseconds after which no uncommitted transaction can add an earlier event or rotation: over twice its time limit. */
export const settledAfterMs = 20_000;

/**
 * Consecutive audit events that this process has added to the log, so that it does not read them again while earlier ones
 * may still be committed. Valid as long as the log has the mark of the last page.
 */
export class KnownEvents {
  readonly #processId = randomUUID();
  #marks = 0;
  #expected = '';
  /** Position of the log when it was read last. */
  #after = 0;
  /** Last event up to which all events are in the log. */
  #through = 0;
  /** Events after the position. */
  #recent: AuditPosition[] = [];

  /** Event after which to continue reading; undefined if the log lost data since an earlier page of this round. */
  startFrom(position: LogPosition | undefined, isLaterPage: boolean): number | undefined {
    const after = position?.after ?? 0;
    if (position === undefined || after < this.#after) {
      this.forget();
      if (isLaterPage) return undefined;
    }
    this.#after = after;
    this.#through = Math.max(this.#through, after);
    this.#recent = this.#recent.filter(({ id }) => id > after);
    return this.#through;
  }

  /** For the next page. */
  nextMark(): LogMark {
    this.#marks++;
    return { processId: this.#processId, expected: this.#expected, next: String(this.#marks) };
  }

  /** Notes a page that the log has taken with a mark. */
  add(page: readonly LoggedEvent[], { next }: LogMark): void {
    this.#expected = next;
    for (const { id, at } of page) {
      // After a gap, the missing event may be in a transaction that is not committed yet.
      if (id !== this.#through + 1) break;
      this.#through = id;
      this.#recent.push({ id, at });
    }
  }

  /** The last known or new event before which no further event can appear; undefined without one. */
  settled(page: readonly AuditPosition[], now: number): number | undefined {
    return [...this.#recent, ...page].findLast(({ at }) => at < now - settledAfterMs)?.id;
  }

  forget(): void {
    this.#expected = '';
    this.#after = 0;
    this.#through = 0;
    this.#recent = [];
  }
}
