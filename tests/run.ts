// `npm test`: every stage below but the clients, one after the other; `npm run test:system` one of them. Further arguments go
// to jest: npm test -- revocation. The last line of the output is `N passed, N failed`; the exit code is 0 only when something
// ran and nothing failed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJest, type TestCounts } from './run-jest.ts';

/** Flags of jest for each of its projects. */
const stages: Readonly<Record<string, readonly string[]>> = {
  unit: [],
  promises: ['--runInBand'],
  // Each file starts many processes, which mostly wait.
  system: ['--maxWorkers=3'],
  browser: ['--maxWorkers=2'],
  clients: ['--runInBand'],
};
const everything = ['unit', 'promises', 'system', 'browser'];

const given = process.argv.slice(2);
const firstOther = given.findIndex((arg) => !(arg in stages));
const named = firstOther < 0 ? given : given.slice(0, firstOther);
const args = given.slice(named.length);

const directory = mkdtempSync(join(tmpdir(), 'platform-results-'));
const total: TestCounts = { passed: 0, failed: 0 };
for (const stage of named.length > 0 ? named : everything) {
  const flags = [...(stages[stage] ?? []), ...args];
  const { passed, failed } = await runJest(stage, flags, join(directory, `${stage}.json`));
  total.passed += passed;
  total.failed += failed;
}
rmSync(directory, { recursive: true, force: true });

const ran = total.passed + total.failed;
if (ran === 0) process.stderr.write('No test ran.\n');
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = ran > 0 && total.failed === 0 ? 0 : 1;
