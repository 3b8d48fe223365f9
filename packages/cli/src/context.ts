/** Input and output: of a person, or of the programs before and behind a pipe. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream;
  /** Writes a line for the reader of the output. */
  readonly out: (line: string) => void;
  /** Writes a line that is no output: errors, and what the person is to know. */
  readonly note: (line: string) => void;
  /** Characters per line; undefined where the output is no terminal, and lines may have any length. */
  readonly columns: number | undefined;
  /** Whether the output may be colored: a terminal, and no NO_COLOR. */
  readonly hasColors: boolean;
}

/** Surroundings of a command. */
export interface Context {
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** As it is typed; also the folder of the credentials. */
  readonly name: string;
  readonly version: string;
  /** Origin of the platform where neither the person nor the profile names one. */
  readonly platform: string;
  /** Aborts with Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Options of every command. */
export interface GlobalOptions {
  readonly json?: true;
  readonly profile: string;
  readonly url?: string;
}
