/** Where commands read their surroundings and write their answers. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  out(text: string): void;
  err(text: string): void;
}

/** How a command ended, as the shell sees it. */
export const exitCodes = {
  done: 0,
  /** The services refused, or did not answer. */
  failed: 1,
  usage: 2,
  /** Done, but gateways have not confirmed yet. */
  pending: 3,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
