// `npm test`: the unit tests, then the system tests (those that measure time alone, first), then the browser tests. Arguments go to jest: npm test -- revocation
// The last line of the output is `N passed, N failed`; the exit code is 0 only when something ran and nothing failed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJest, type TestCounts } from './run-jest.ts';

const directory = mkdtempSync(join(tmpdir(), 'platform-results-'));
const projects = [
  { project: 'unit', flags: [] },
  { project: 'timed', flags: ['--runInBand'] },
  // Each file starts many processes, which mostly wait.
  { project: 'system', flags: ['--maxWorkers=3'] },
  { project: 'browser', flags: ['--maxWorkers=2'] },
];

const total: TestCounts = { passed: 0, failed: 0 };
for (const { project, flags } of projects) {
  const args = [...flags, ...process.argv.slice(2)];
  const { passed, failed } = await runJest(project, args, join(directory, `${project}.json`));
  total.passed += passed;
  total.failed += failed;
}
rmSync(directory, { recursive: true, force: true });

const ran = total.passed + total.failed;
if (ran === 0) process.stderr.write('No test ran.\n');
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = ran > 0 && total.failed === 0 ? 0 : 1;
