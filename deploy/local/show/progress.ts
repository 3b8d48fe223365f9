/** Prints a line per step, with the time it took. */
export interface Progress {
  say(line: string): void;
  /** Runs a step and prints how it went. `describe` may add what the step found out. */
  step<T>(name: string, run: () => Promise<T>, describe?: (result: T) => string): Promise<T>;
}

const nameWidth = 18;

export function createProgress(write: (text: string) => unknown): Progress {
  const say = (line: string) => void write(`${line}\n`);
  return {
    say,
    step: async (name, run, describe = () => 'ready') => {
      const startedAt = performance.now();
      const result = await run();
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      say(`  ${name.padEnd(nameWidth)} ${describe(result)} (${seconds} s)`);
      return result;
    },
  };
}
