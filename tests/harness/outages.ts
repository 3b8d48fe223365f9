/** A process whose loss a test can bring about. */
export interface Part {
  kill?(): Promise<unknown>;
  stop(): Promise<unknown>;
  start(): Promise<unknown>;
  freeze(): void;
  thaw(): void;
}

/** How a part is lost, and restored. */
export interface Outage {
  readonly name: string;
  begin(part: Part): Promise<unknown>;
  end(part: Part): Promise<unknown>;
}

/** Connections to it are refused. */
export const stopped: Outage = {
  name: 'stopped',
  begin: (part) => (part.kill ?? part.stop)(),
  end: (part) => part.start(),
};

/** Connections to it are silent. */
export const frozen: Outage = {
  name: 'frozen',
  begin: async (part) => part.freeze(),
  end: async (part) => part.thaw(),
};

export const outages = [stopped, frozen];
