import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Ends by itself after a minute, whatever the result of the test. */
const program = 'const end = Date.now() + 60_000; while (Date.now() < end);';

/** Starts processes that use all CPUs, `perCpu` for each; resolves to a function that ends them. */
export function keepCpusBusy(perCpu: number): () => void {
  const hogs: ChildProcess[] = Array.from({ length: perCpu * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', program], { stdio: 'ignore' }),
  );
  return () => {
    for (const hog of hogs) hog.kill('SIGKILL');
  };
}
