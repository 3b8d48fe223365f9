import { spawnSync } from 'node:child_process';

/** Another process may be installing something: waits for it, up to so many seconds. */
const aptLock = ['-o', 'DPkg::Lock::Timeout=240'];

/** Package managers by program: what comes before the names of packages, so that nothing is asked. */
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

/** What to install, by package manager. */
export type Packages = Readonly<Partial<Record<Manager, readonly string[]>>>;

const names: readonly Manager[] = ['apt-get', 'dnf', 'yum', 'apk', 'pacman', 'zypper', 'brew'];

/**
 * Installs packages with the system's package manager, as root or through sudo; its output goes to standard error. Takes
 * minutes at most. Returns undefined, or why it could not, as half a sentence.
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
  // Debian starts the servers that it installs; these would be nobody's.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return spawnSync(program, given, { env, stdio: ['ignore', 2, 2], timeout: 300_000 }).status === 0;
}

function exists(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}
