import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Ends by itself after a minute, whatever becomes of the test. */
const program = 'const end = Date.now() + 60_000; while (Date.now() < end);';

/** Processes that want all the CPU there is, `perCpu` for each; resolves to how to end them. */
export function keepCpusBusy(perCpu: number): () => void {
  const hogs: ChildProcess[] = Array.from({ length: perCpu * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', program], { stdio: 'ignore' }),
  );
  return () => {
    for (const hog of hogs) hog.kill('SIGKILL');
  };
}
