// Installs redis-server with the system's package manager, as root or through sudo: node deploy/local/install-redis.ts
import { spawnSync } from 'node:child_process';
import { findRedisServer } from './redis/find-redis.ts';

/** Package managers by program, with the commands that install Redis without questions. */
const managers: Readonly<Record<string, readonly string[][]>> = {
  'apt-get': [
    ['apt-get', 'update', '-qq'],
    ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'redis-server'],
  ],
  dnf: [['dnf', 'install', '-y', '-q', 'redis']],
  yum: [['yum', 'install', '-y', '-q', 'redis']],
  apk: [['apk', 'add', '--quiet', 'redis']],
  pacman: [['pacman', '-Sy', '--noconfirm', 'redis']],
  zypper: [['zypper', '--non-interactive', 'install', 'redis']],
  brew: [['brew', 'install', 'redis']],
};

function run(command: readonly string[]): boolean {
  const needsRoot = command[0] !== 'brew' && process.getuid?.() !== 0;
  const [program = '', ...args] = needsRoot ? ['sudo', '-n', ...command] : command;
  // Debian starts what it installs; this server would be nobody's.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return spawnSync(program, args, { env, stdio: ['ignore', 2, 2], timeout: 300_000 }).status === 0;
}

const exists = (program: string) =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

if (findRedisServer(process.env) === undefined) {
  const [manager, commands] = Object.entries(managers).find(([program]) => exists(program)) ?? [];
  const installed = commands?.map(run).at(-1) === true && findRedisServer(process.env) !== undefined;
  if (!installed) {
    const how =
      manager === undefined
        ? 'no known package manager is here'
        : `${manager} did not install it (it needs root, or sudo without a password)`;
    process.stderr.write(`redis-server is missing, and ${how}: install Redis 7 or later by hand.\n`);
    process.exit(1);
  }
}
