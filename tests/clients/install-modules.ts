import { spawnSync } from 'node:child_process';
import { runDirectory } from '../harness/run-directory.ts';

/**
 * Installs packages of npm, as `name@1.2.3`, that the repository does not depend on into a directory of their own, and returns
 * it. @throws with the output of npm when that fails
 */
export function installModules(packages: readonly string[]): string {
  const directory = runDirectory().newDirectory('modules');
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  const args = ['install', ...flags, '--prefix', directory, ...packages];
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8', timeout: 100_000 });
  if (status !== 0) throw new Error(`npm did not install ${packages.join(', ')}: ${stderr}`);
  return directory;
}
