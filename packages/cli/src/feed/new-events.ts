// Takes new events from the feed, one after the other, with the cursor in memory. See the guide "A client in TypeScript".
import type { BusinessEvent, EventStore } from '@business-api/client';

interface NewEventsOptions {
  /** Takes one event; the next one waits for it. */
  readonly take: (event: BusinessEvent) => Promise<void>;
  /** Receives a line about what was not read. */
  readonly note: (line: string) => void;
}

/** A cursor that ends with the program. */
export class NewEvents implements EventStore {
  readonly #options: NewEventsOptions;
  #cursor: string | undefined;

  constructor(options: NewEventsOptions) {
    this.#options = options;
  }

  async load(): Promise<string | undefined> {
    return this.#cursor;
  }

  async apply(events: readonly BusinessEvent[], to: string): Promise<void> {
    for (const event of events) await this.#options.take(event);
    this.#cursor = to;
  }

  async rebuild(cursor: string): Promise<void> {
    this.#options.note('Events that are no longer kept were not read. Going on with new ones.');
    this.#cursor = cursor;
  }
}
