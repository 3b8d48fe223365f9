import { beginRun, type Run } from './run.ts';

let run: Run | undefined;

/** jest: before the first test file, for each of its projects; the first of them begins the run. */
export default async function globalSetup(): Promise<void> {
  if (process.env.HARNESS_RUN_DIRECTORY === undefined) run = await beginRun();
}

export const endOfRun = async (): Promise<void> => run?.end();
