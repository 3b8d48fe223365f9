// `npm test` proves every promise: rules, endpoints, and what holds under load and losses. `npm run test:all` adds the pages in a
// browser, the commands of operators, and how the platform is installed and started. `npm run test:quick` is the unit tests and
// the doors of the gateway; `npm run test:system` one folder. Further arguments go to jest: npm test -- revocation. The last
// line of the output is `N passed, N failed`; the exit code is 0 only when something ran and nothing failed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJest, type TestCounts } from './run-jest.ts';

interface Stage {
  /** Of jest.config.js; together, so that no processor waits for the last file of one of them. */
  readonly projects: readonly string[];
  readonly flags: readonly string[];
}

// Processes under test mostly wait, and nothing asserts elapsed time: more workers than processors. Promises are about load
// and losses, within the time limits of production: they have the processors to themselves.
const workers = ['--maxWorkers=3'];
const promises: Stage = { projects: ['promises'], flags: ['--maxWorkers=2'] };
const others: Stage = { projects: ['unit', 'system'], flags: workers };
const rest: Stage = {
  projects: ['browser', 'operations', 'installation', 'pages'],
  flags: workers,
};
/** One file for each door, all on one platform. */
const doors: Stage = {
  projects: ['system'],
  flags: [
    '--runInBand',
    '--testPathPatterns',
    'system/(dashboard-api|oauth-refresh|gateway-usage|people-forms)\\.',
  ],
};

const runs: Readonly<Record<string, readonly Stage[]>> = {
  proofs: [promises, others],
  all: [promises, others, rest],
  quick: [{ projects: ['unit'], flags: [] }, doors],
  unit: [{ projects: ['unit'], flags: [] }],
  promises: [promises],
  system: [{ projects: ['system'], flags: workers }],
  browser: [{ ...rest, projects: ['browser'] }],
  operations: [{ ...rest, projects: ['operations'] }],
  installation: [{ ...rest, projects: ['installation'] }],
  pages: [{ ...rest, projects: ['pages'] }],
  clients: [{ projects: ['clients'], flags: ['--runInBand'] }],
};

const [first = 'proofs', ...given] = process.argv.slice(2);
const stages = runs[first] ?? [promises, others, rest];
const args = first in runs ? given : [first, ...given];

const directory = mkdtempSync(join(tmpdir(), 'platform-results-'));
const total: TestCounts = { passed: 0, failed: 0 };
const startedAt = performance.now();
for (const [index, { projects, flags }] of stages.entries()) {
  const { passed, failed } = await runJest(projects, [...flags, ...args], join(directory, `${index}.json`));
  total.passed += passed;
  total.failed += failed;
}
rmSync(directory, { recursive: true, force: true });

const ran = total.passed + total.failed;
if (ran === 0) process.stderr.write('No test ran.\n');
process.stderr.write(`${first}: ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = ran > 0 && total.failed === 0 ? 0 : 1;
