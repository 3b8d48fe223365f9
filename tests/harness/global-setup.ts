import { beginRun, type Run } from './run.ts';

let run: Run | undefined;

/** jest: before the first test file, for each of its projects; the first of them begins the run. */
export default async function globalSetup(): Promise<void> {
  await beginOnce();
}

/** Begins the run, unless another project has. */
export async function beginOnce(options?: Parameters<typeof beginRun>[0]): Promise<void> {
  if (process.env.HARNESS_RUN_DIRECTORY === undefined) run = await beginRun(options);
}

export const endOfRun = async (): Promise<void> => run?.end();
