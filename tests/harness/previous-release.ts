import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { ServiceName } from '../../deploy/local/process/service.ts';
import { runDirectory } from './run-directory.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A service as it was before its last migration. */
export interface PreviousRelease {
  readonly commit: string;
  /** Directory with the service and all that it runs with, with a final slash. */
  readonly root: string;
  /** Name of the migration that it does not have. */
  readonly lastMigration: string;
}

/**
 * Takes the newest commit of this branch that lacks the last migration of a service out of git, with today's packages.
 * @throws with one sentence in a checkout without that commit
 */
export async function checkOutPreviousRelease(service: ServiceName): Promise<PreviousRelease> {
  const [first, ...later] = readdirSync(join(root, service, 'prisma/migrations'))
    .filter((name) => !name.endsWith('.toml'))
    .sort();
  const lastMigration = later.at(-1);
  if (lastMigration === undefined)
    throw new Error(`${service} has no migration after ${first}: no release is before 1.0.0.`);
  const commit = commitWithout(`${service}/prisma/migrations/${lastMigration}/migration.sql`);
  const directory = runDirectory().newDirectory('previous-release');
  const archive = join(directory, 'tree.tar');
  const parts = [service, 'protos', 'service-kit', 'deploy/database', 'package.json'];
  await run('git', ['archive', `--output=${archive}`, commit, ...parts], { cwd: root });
  await run('tar', ['-xf', archive, '-C', directory]);
  linkPackages(directory, service);
  for (const program of ['protos/generate.ts', 'deploy/database/generate.ts']) {
    await run(process.execPath, ['--disable-warning=ExperimentalWarning', program], { cwd: directory });
  }
  return { commit, root: `${directory}/`, lastMigration };
}

/** The newest commit of this branch without a file: the parent of the one that added it, or the last one. */
function commitWithout(path: string): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const added = git('log', '--first-parent', '-m', '--diff-filter=A', '--format=%H', '-1', '--', path);
    return git('rev-parse', '--verify', added === '' ? 'HEAD' : `${added}^1`);
  } catch (cause) {
    const text = `This checkout lacks the history of git before ${path} (a shallow clone?): git fetch --unshallow.`;
    throw new Error(text, { cause });
  }
}

/** Packages of npm are those of this checkout; packages of the repository are those of the release. */
function linkPackages(directory: string, service: ServiceName): void {
  const modules = join(root, 'node_modules');
  mkdirSync(join(directory, 'node_modules/@platform'), { recursive: true });
  for (const name of readdirSync(modules)) {
    if (name !== '@platform') symlinkSync(join(modules, name), join(directory, 'node_modules', name));
  }
  for (const name of [service, 'protos', 'service-kit']) {
    symlinkSync(join(directory, name), join(directory, 'node_modules/@platform', name));
    const own = join(root, name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(directory, name, 'node_modules'));
  }
}
