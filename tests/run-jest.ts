import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface TestCounts {
  passed: number;
  /** Failed tests, and what kept tests from running at all: files that did not load, a run that broke off. */
  failed: number;
}

/** The results that jest writes with --json. */
interface JestResult {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
}

const jest = fileURLToPath(new URL('../node_modules/jest/bin/jest.js', import.meta.url));

/** Runs projects of jest.config.js side by side and counts what happened; its output goes to the terminal. */
export async function runJest(
  projects: readonly string[],
  args: readonly string[],
  resultFile: string,
): Promise<TestCounts> {
  // What a failed test left open must not keep the run from ending.
  const flags = ['--selectProjects', ...projects, '--passWithNoTests', '--forceExit'];
  const report = ['--json', `--outputFile=${resultFile}`];
  const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const child = spawn(process.execPath, [...node, jest, ...flags, ...report, ...args], {
    // With --json, jest prints the result itself to standard output: the report for people is on standard error.
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (!existsSync(resultFile)) return { passed: 0, failed: code === 0 ? 0 : 1 };
  const result: JestResult = JSON.parse(readFileSync(resultFile, 'utf8'));
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  return { passed: result.numPassedTests, failed: code === 0 ? failed : Math.max(failed, 1) };
}
