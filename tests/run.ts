// `npm test` proves every promise: the unit tests, and the files that docs/promises.md names. `npm run test:all` runs every test:
// also each endpoint in detail, the pages in a browser, the commands of operators, and how the platform is installed and started.
// `npm run test:quick` is the unit tests and the doors of the gateway; `npm run test:system` one folder. Further arguments go to
// jest: npm test -- revocation. The last line of the output is `N passed, N failed`; the exit code is 0 only when something ran
// and nothing failed.
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJest, type TestCounts } from './run-jest.ts';

interface Stage {
  /** Of jest.config.js; together, so that no processor waits for the last file of one of them. */
  readonly projects: readonly string[];
  readonly flags: readonly string[];
}

const [first = 'proofs', ...given] = process.argv.slice(2);
const root = new URL('..', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

/** Test files that docs/promises.md names. */
const proofFiles = [...new Set(read('docs/promises.md').match(/tests\/\S+\.test\.ts/g))];

/** Test files with the time limits of production. */
const strictFiles = globSync('tests/{promises,system}/*.test.ts', { cwd: root }).filter((path) =>
  read(path).includes('strictTimes: true'),
);

// Processes under test mostly wait, and nothing asserts elapsed time: more workers than processors.
const workers = ['--maxWorkers=3'];
const unit: Stage = { projects: ['unit'], flags: workers };
const proofs = services(['promises', 'system'], proofFiles);
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

/**
 * Files over processes: most beside each other, then those with strict limits one by one, as their neighbours would use the time
 * up. Together where arguments choose among them.
 */
function services(projects: readonly string[], files?: readonly string[]): readonly Stage[] {
  if (files === undefined && given.length > 0) return [{ projects, flags: workers }];
  const only = files === undefined ? [] : ['--testPathPatterns', ...files];
  const strict = strictFiles.filter((file) => files === undefined || files.includes(file));
  return [
    { projects, flags: [...only, '--testPathIgnorePatterns', ...strictFiles, ...workers] },
    {
      projects: projects.filter((name) => name !== 'unit'),
      flags: ['--testPathPatterns', ...strict, '--runInBand'],
    },
  ];
}

const runs: Readonly<Record<string, readonly Stage[]>> = {
  proofs: [...proofs, unit],
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
