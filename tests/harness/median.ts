/** The middle one of some measurements. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Measures tasks in turns, so that whatever else the machine does hits all of them alike.
 * @returns the median duration of each in milliseconds
 */
export async function mediansInTurns(
  rounds: number,
  tasks: readonly ((round: number) => Promise<unknown>)[],
): Promise<number[]> {
  const durations = tasks.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, task] of tasks.entries()) {
      const startedAt = performance.now();
      await task(round);
      durations[index]?.push(performance.now() - startedAt);
    }
  }
  return durations.map(median);
}
