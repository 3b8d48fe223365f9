import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Another process may be installing something: waits for it, up to so many seconds. */
const aptLock = ['-o', 'DPkg::Lock::Timeout=240'];

/** Arguments before the names of packages, by package manager: none of them asks questions. */
const managers = {
  'apt-get': [...aptLock, 'install', '-y', '-qq', '--no-install-recommends'],
  dnf: ['install', '-y', '-q'],
  yum: ['install', '-y', '-q'],
  apk: ['add', '--quiet'],
  pacman: ['-Sy', '--noconfirm'],
  zypper: ['--non-interactive', 'install'],
  brew: ['install'],
} as const;

type Manager = keyof typeof managers;

/** Names of packages, by package manager. */
type Packages = Readonly<Partial<Record<Manager, readonly string[]>>>;

const names: readonly Manager[] = ['apt-get', 'dnf', 'yum', 'apk', 'pacman', 'zypper', 'brew'];

/**
 * Installs packages with the system's package manager, as root or through sudo; its output goes to standard error. Takes
 * minutes at most. Returns undefined, or the reason for its failure, as half a sentence.
 */
export function installPackages(packages: Packages): string | undefined {
  const manager = names.find((name) => packages[name] !== undefined && exists(name));
  if (manager === undefined) return 'no package manager that has it is here';
  const wanted = packages[manager] ?? [];
  process.stderr.write(`Installing ${wanted.join(', ')} with ${manager}; this takes a minute or two.\n`);
  if (manager === 'apt-get') run(manager, [...aptLock, 'update', '-qq']);
  if (run(manager, [...managers[manager], ...wanted])) return undefined;
  return `${manager} did not install it (it needs root, or sudo without a password)`;
}

function run(manager: Manager, args: readonly string[]): boolean {
  const needsRoot = manager !== 'brew' && process.getuid?.() !== 0;
  const [program, given] = needsRoot ? ['sudo', ['-n', manager, ...args]] : [manager, args];
  // Debian starts the servers that it installs, unless the run level is 1.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return spawnSync(program, given, { env, stdio: ['ignore', 2, 2], timeout: 300_000 }).status === 0;
}

function exists(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/**
 * Path of a program: `named`, or the first of `names` on the PATH, in the order of the names. Undefined when there is
 * none, or when `named` cannot be executed.
 */
export function findProgram(
  named: string | undefined,
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (named) return isExecutable(named) ? named : undefined;
  const directories = (environment.PATH ?? '').split(delimiter).filter((directory) => directory !== '');
  return names.flatMap((name) => directories.map((directory) => join(directory, name))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
