// Ends the children of a parent that died without ending them (SIGKILL, Ctrl-C in a test run). Runs in a separate session and
// waits for the end of its standard input, which only its parent holds open.
// node reaper.ts <record directory> [directory to remove]
import { rmSync } from 'node:fs';
import { endRecordedProcesses } from './record.ts';

const [records, remove] = process.argv.slice(2);
process.stdin.resume().once('close', async () => {
  if (records !== undefined) await endRecordedProcesses(records);
  if (remove !== undefined) rmSync(remove, { recursive: true, force: true });
});
