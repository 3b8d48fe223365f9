import { randomUUID } from 'node:crypto';
import type { AuditPosition, LogMark, LogPosition } from './log.ts';
import type { LoggedEvent } from './revocation.ts';

/** Milliseconds after which no transaction that is not committed has an earlier event or rotation: more than two of its time limits. */
export const settledAfterMs = 20_000;

/**
 * Audit events that this process has read into the log, each after the one before, so that it need not read them again until no
 * other can still appear among them. That holds as long as the log has the mark of the last page.
 */
export class KnownEvents {
  readonly #processId = randomUUID();
  #marks = 0;
  #expected = '';
  /** Position of the log when it was read last. */
  #after = 0;
  /** Event up to which all are in the log. */
  #through = 0;
  /** Those behind the position. */
  #recent: AuditPosition[] = [];

  /** The event after which to read on, for the log as it is now; undefined where it fell back since an earlier page of the round. */
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
      // One before it may be in a transaction that is not committed.
      if (id !== this.#through + 1) break;
      this.#through = id;
      this.#recent.push({ id, at });
    }
  }

  /** The last event before which no other one can still appear; undefined where there is none among these and a new page. */
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
