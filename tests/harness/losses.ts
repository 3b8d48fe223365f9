/** A part of the platform that can be lost. */
export interface Part {
  kill?(): Promise<unknown>;
  stop(): Promise<unknown>;
  start(): Promise<unknown>;
  freeze(): void;
  thaw(): void;
}

/** A way to lose a part, and to have it back. */
export interface Loss {
  readonly name: string;
  lose(part: Part): Promise<unknown>;
  bringBack(part: Part): Promise<unknown>;
}

/** Connections to it are refused. */
export const stopped: Loss = {
  name: 'stopped',
  lose: (part) => (part.kill ?? part.stop)(),
  bringBack: (part) => part.start(),
};

/** Connections to it are silent. */
export const frozen: Loss = {
  name: 'frozen',
  lose: async (part) => part.freeze(),
  bringBack: async (part) => part.thaw(),
};

export const losses = [stopped, frozen];
