// Installs redis-server with the system's package manager, as root or through sudo: node deploy/local/install-redis.ts
import { installPackages } from './process/install-packages.ts';
import { findRedisServer } from './redis.ts';

if (findRedisServer(process.env) === undefined) {
  const error = installPackages({
    'apt-get': ['redis-server'],
    dnf: ['redis'],
    yum: ['redis'],
    apk: ['redis'],
    pacman: ['redis'],
    zypper: ['redis'],
    brew: ['redis'],
  });
  if (findRedisServer(process.env) === undefined) {
    const why = error ?? 'the package brought none';
    process.stderr.write(`redis-server is missing, and ${why}: install Redis 7 or later by hand.\n`);
    process.exit(1);
  }
}
