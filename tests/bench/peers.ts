import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Servers that do what the gateway does, or less, out of packages that others use for it. */
export const peers = [
  { name: 'undici, bare', path: 'tests/bench/peers/undici-proxy.js' },
  { name: 'fastify, key check, limit in Redis', path: 'tests/bench/peers/fastify.js' },
  { name: 'fast-gateway, key check, limit in Redis', path: 'tests/bench/peers/fast-gateway.js' },
] as const;

/**
 * Installs the packages of the peers, which `npm ci` of the project leaves out, at their first use.
 * @returns whether they are there
 */
export function installPeers(): boolean {
  const directory = fileURLToPath(new URL('peers', import.meta.url));
  if (existsSync(`${directory}/node_modules/.package-lock.json`)) return true;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
  return spawnSync('npm', args, { cwd: directory, stdio: ['ignore', 2, 2] }).status === 0;
}
