import { beginRun, type Run } from './run.ts';

let run: Run | undefined;

/** jest: before the first system test file. */
export default async function globalSetup(): Promise<void> {
  run = await beginRun();
}

export const endOfRun = async (): Promise<void> => run?.end();
