import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beginRun, type Run } from '../harness/run.ts';
import { runDirectory } from '../harness/run-directory.ts';
import { pin, yieldToOthers } from './pin.ts';

/** A run whose processes leave the core of the process under measurement alone; PostgreSQL uses what others do not. */
export async function beginBenchRun(): Promise<Run> {
  // What it starts inherits its cores.
  pin('load', process.pid);
  const run = await beginRun();
  const file = join(runDirectory().root, 'data', 'shared-postgres', 'postmaster.pid');
  yieldToOthers(Number.parseInt(readFileSync(file, 'utf8'), 10));
  return run;
}
