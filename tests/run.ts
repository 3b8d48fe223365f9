// `npm test`: the rules (unit tests), and every endpoint and promise once, on one platform that the run starts (tests/platform).
// `npm run test:quick` is the rules alone. `npm run test:resilience` is what kills, freezes, floods or has the time limits of
// production (tests/resilience), one file after the other. `npm run test:all` is everything; in it only files of `strict/` run
// without a neighbour. `npm run test:gate` is what .ci/run runs: half an hour of it, on two processors. Further arguments go to
// jest: `npm test -- revocation` runs the matching files of every folder. The last line of the output is `N passed, N failed`;
// the exit code is 0 only when something ran and nothing failed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runJest, type TestCounts } from './run-jest.ts';

interface Stage {
  /** Of jest.config.js; together, so that no processor waits for the last file of one of them. */
  readonly projects: readonly string[];
  readonly workers: number;
  /** Part of the paths of its files; all of them where absent. */
  readonly files?: string;
}

// Processes under test mostly wait, and nothing asserts elapsed time: more workers than processors.
const rules: Stage = { projects: ['unit'], workers: 4 };
const doors: Stage = { projects: ['unit', 'platform'], workers: 4 };
const details: Stage = { projects: ['system', 'resilience'], workers: 4 };
/** Time limits of production hold for files that have the machine to themselves. */
const strict: Stage = { projects: ['strict'], workers: 1 };
/** A browser is as much work as the services beside it. */
const heavy: Stage = { projects: ['browser', 'operations', 'installation'], workers: 3 };
const everything = [doors, details, heavy, strict];
/** Every endpoint in detail, every page once in light, dark and small, and how the platform is installed. */
const gate: readonly Stage[] = [
  doors,
  { projects: ['system'], workers: details.workers },
  {
    projects: ['browser', 'installation'],
    workers: heavy.workers,
    files: '(installation/|pages|every-page|walk|docs|consent)',
  },
];
const alone = (project: string, workers = 1): readonly Stage[] => [{ projects: [project], workers }];

const runs: Readonly<Record<string, readonly Stage[]>> = {
  test: [doors],
  quick: [rules],
  unit: [rules],
  system: alone('system', details.workers),
  resilience: [...alone('resilience'), strict],
  browser: alone('browser', heavy.workers),
  operations: alone('operations', heavy.workers),
  installation: alone('installation', heavy.workers),
  clients: alone('clients'),
  releases: alone('releases'),
  gate,
  all: everything,
};

const [first = 'test', ...rest] = process.argv.slice(2);
const isNamed = first in runs;
const args = isNamed ? rest : [first, ...rest];
const stages = runs[first] ?? everything;

/** A pattern is a part of a file's path below the root, which may itself contain it. */
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const firstFlag = args.findIndex((arg) => arg.startsWith('-'));
const patterns = firstFlag === -1 ? args : args.slice(0, firstFlag);
const flagsFor = (files: readonly string[]) => [
  ...files.map((pattern) => `^${root}.*${pattern}`),
  ...args.slice(patterns.length),
];
/** jest takes the first of two. */
const hasWorkers = args.some((flag) => /^(-w|-i|--runInBand|--maxWorkers)/.test(flag));

const directory = mkdtempSync(join(tmpdir(), 'platform-results-'));
const total: TestCounts = { passed: 0, failed: 0 };
const secondsSince = (start: number) => Math.round((performance.now() - start) / 1_000);
const startedAt = performance.now();
for (const [index, { projects, workers, files = '' }] of stages.entries()) {
  const stageStartedAt = performance.now();
  const own = hasWorkers ? [] : [`--maxWorkers=${workers}`];
  const flags = flagsFor(patterns.length > 0 || files === '' ? patterns : [files]);
  const ran = await runJest(projects, [...own, ...flags], join(directory, `${index}.json`));
  total.passed += ran.passed;
  total.failed += ran.failed;
  if (ran.passed + ran.failed > 0)
    process.stderr.write(`${projects.join(' and ')}: ${secondsSince(stageStartedAt)} s\n`);
}
rmSync(directory, { recursive: true, force: true });

const ran = total.passed + total.failed;
if (ran === 0) process.stderr.write('No test ran.\n');
process.stderr.write(`in all: ${secondsSince(startedAt)} s\n`);
process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
process.exitCode = ran > 0 && total.failed === 0 ? 0 : 1;
