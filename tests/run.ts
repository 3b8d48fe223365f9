// `npm test`: every stage but the clients, one after the other; `npm run test:system` one of them; `npm run test:quick` the
// unit tests and the doors of the gateway. Further arguments go to jest: npm test -- revocation. The last line of the output
// is `N passed, N failed`; the exit code is 0 only when something ran and nothing failed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJest, type TestCounts } from './run-jest.ts';

interface Stage {
  /** Of jest.config.js. */
  readonly project: string;
  readonly flags: readonly string[];
}

const stages: Readonly<Record<string, Stage>> = {
  unit: { project: 'unit', flags: [] },
  // Each file has processes of its own or of its worker, which mostly wait; nothing asserts elapsed time.
  promises: { project: 'promises', flags: ['--maxWorkers=2'] },
  system: { project: 'system', flags: ['--maxWorkers=3'] },
  browser: { project: 'browser', flags: ['--maxWorkers=2'] },
  clients: { project: 'clients', flags: ['--runInBand'] },
  /** One file for each door, all on one platform. */
  doors: {
    project: 'system',
    flags: [
      '--runInBand',
      '--testPathPatterns',
      'system/(dashboard-api|oauth-refresh|gateway-usage|people-forms)\\.',
    ],
  },
};
const runs: Readonly<Record<string, readonly string[]>> = {
  all: ['unit', 'promises', 'system', 'browser'],
  quick: ['unit', 'doors'],
};

const [first = 'all', ...rest] = process.argv.slice(2);
const isNamed = first in runs || first in stages;
const names = isNamed ? (runs[first] ?? [first]) : (runs.all ?? []);
const args = isNamed ? rest : [first, ...rest];

const directory = mkdtempSync(join(tmpdir(), 'platform-results-'));
const total: TestCounts = { passed: 0, failed: 0 };
for (const name of names) {
  const stage = stages[name];
  if (stage === undefined) throw new Error(`There is no stage ${name}.`);
  const startedAt = performance.now();
  const { passed, failed } = await runJest(
    stage.project,
    [...stage.flags, ...args],
    join(directory, `${name}.json`),
  );
  process.stderr.write(`${name}: ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
  total.passed += passed;
  total.failed += failed;
}
rmSync(directory, { recursive: true, force: true });

const ran = total.passed + total.failed;
if (ran === 0) process.stderr.write('No test ran.\n');
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = ran > 0 && total.failed === 0 ? 0 : 1;
