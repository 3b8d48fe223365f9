// `npm test` proves every promise: the unit tests, the files of tests/promises/, and of tests/system/ each test that docs/promises.md
// names. `npm run test:all` runs every test: also each endpoint in detail, the pages in a browser, the commands of operators, and
// how the platform is installed and started.
// `npm run test:quick` is the unit tests and the doors of the gateway; `npm run test:system` one folder. Further arguments go to
// jest: npm test -- revocation. The last line of the output is `N passed, N failed`; the exit code is 0 only when something ran
// and nothing failed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namedTests, starvingFiles, strictFiles } from './named-tests.ts';
import { type RunTest, runJest, type TestCounts } from './run-jest.ts';

interface Stage {
  /** Of jest.config.js; together, so that no processor waits for the last file of one of them. */
  readonly projects: readonly string[];
  readonly flags: readonly string[];
}

const [first = 'proofs', ...given] = process.argv.slice(2);
// Processes under test mostly wait, and nothing asserts elapsed time: more workers than processors.
const workers = ['--maxWorkers=4'];
/** A browser is as much work as the services beside it. */
const withBrowsers = ['--maxWorkers=3'];
const unit: Stage = { projects: ['unit'], flags: workers };
const rest: Stage = {
  projects: ['browser', 'operations', 'installation', 'pages'],
  flags: withBrowsers,
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

/**
 * Files over processes: most beside each other, then those with strict limits beside two others, as more neighbours would use the
 * time up, and last, alone, those that use all of it themselves. Together where arguments choose among them.
 */
function services(projects: readonly string[]): readonly Stage[] {
  if (given.length > 0) return [{ projects, flags: workers }];
  const overProcesses = projects.filter((name) => name !== 'unit');
  return [
    { projects, flags: ['--testPathIgnorePatterns', ...strictFiles, ...starvingFiles, ...workers] },
    { projects: overProcesses, flags: ['--testPathPatterns', ...strictFiles, '--maxWorkers=3'] },
    { projects: overProcesses, flags: ['--testPathPatterns', ...starvingFiles, '--runInBand'] },
  ];
}

/** Names each row of which no test ran. @returns their number */
function reportUnproved(tests: readonly RunTest[]): number {
  const unproved = namedTests.filter(({ file, pattern }) => {
    const matching = new RegExp(pattern, 'i');
    return !tests.some((test) => test.file.endsWith(file) && matching.test(test.title));
  });
  for (const { file, title } of unproved) process.stderr.write(`No test of ${file} is named "${title}".\n`);
  return unproved.length;
}

const runs: Readonly<Record<string, readonly Stage[]>> = {
  proofs: services(['unit', 'promises', 'named']),
  all: [...services(['unit', 'promises', 'system']), rest],
  quick: [unit, doors],
  unit: [unit],
  promises: services(['promises']),
  system: services(['system']),
  browser: [{ ...rest, projects: ['browser'] }],
  operations: [{ ...rest, projects: ['operations'] }],
  installation: [{ ...rest, projects: ['installation'] }],
  pages: [{ ...rest, projects: ['pages'] }],
  clients: [{ projects: ['clients'], flags: ['--runInBand'] }],
  releases: [{ projects: ['releases'], flags: ['--runInBand'] }],
};

const stages = runs[first] ?? [{ ...unit, projects: ['unit', 'promises', 'system'] }, rest];
const args = first in runs ? given : [first, ...given];

const directory = mkdtempSync(join(tmpdir(), 'platform-results-'));
const total: TestCounts = { passed: 0, failed: 0 };
const ranTests: RunTest[] = [];
const startedAt = performance.now();
for (const [index, stage] of stages.entries()) {
  const resultFile = join(directory, `${index}.json`);
  const { passed, failed, tests } = await runJest(stage.projects, [...stage.flags, ...args], resultFile);
  total.passed += passed;
  total.failed += failed;
  ranTests.push(...tests);
}
if (first === 'proofs' && args.length === 0) total.failed += reportUnproved(ranTests);
rmSync(directory, { recursive: true, force: true });

const ran = total.passed + total.failed;
if (ran === 0) process.stderr.write('No test ran.\n');
process.stderr.write(`${first}: ${Math.round((performance.now() - startedAt) / 1_000)} s\n`);
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = ran > 0 && total.failed === 0 ? 0 : 1;
